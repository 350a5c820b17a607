import type { ErrorCode } from '../../core/errors/catalogue.ts';
import { BoundedMap } from './bounded-map.ts';

/** Refusals that tell of trouble on our side or the caller's, and that may come in floods. */
const CODES = new Set<ErrorCode>([
  'RATE_LIMITED',
  'GATEWAY_UNAVAILABLE',
  'IMAGE_SOURCE_UNREACHABLE',
  'AGENT_PORTS_UNKNOWN',
]);
const EVERY_MS = 60_000;
const MAX_KEPT = 4096;

/** Which of them the log is told: of each code and node one a minute. */
export class Trouble {
  readonly #told = new BoundedMap<{ readonly at: number; left: number }>(MAX_KEPT);

  /** How many were left out since the last one that was told; undefined if this one is left out too. */
  tell(code: ErrorCode, node: string, now: number): number | undefined {
    if (!CODES.has(code)) return undefined;
    const key = `${code} ${node}`;
    const last = this.#told.get(key);
    if (last !== undefined && now - last.at < EVERY_MS) {
      last.left += 1;
      return undefined;
    }
    this.#told.set(key, { at: now, left: 0 });
    return last?.left ?? 0;
  }
}
