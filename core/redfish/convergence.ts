import type { ErrorCode } from '../errors/catalogue.ts';

/**
 * The answer of one look at the world: what was asked for is there, or not yet. A "not yet" carries
 * the code that the step fails with if its bound ends first, and what has been asked of the BMC.
 */
export type Convergence<Asked = unknown> =
  | { readonly state: 'reached'; readonly changed: boolean; readonly what: string }
  | {
      readonly state: 'pending';
      readonly retryAfterMs: number;
      readonly code: ErrorCode;
      readonly why: string;
      /** Plain JSON; may be given to the next look, by another process too. */
      readonly asked: Asked | undefined;
    };
