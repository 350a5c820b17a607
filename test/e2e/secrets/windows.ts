import type { OperationRef, TokenWindow } from '../../../core/operations.ts';
import type { Page } from './places.ts';

/** What tokens are derived from. */
export interface Window {
  readonly ref: OperationRef;
  readonly window: TokenWindow;
}

/** Every window that tokens were derived from, as the steps' inputs name it, each once. */
export function windowsIn(histories: readonly Page[]): Window[] {
  const found = new Map<string, Window>();
  for (const { bytes } of histories) {
    for (const line of Buffer.from(bytes).toString().split('\n')) {
      if (!line.startsWith('{') || !line.includes('"window"')) continue;
      const { ref, window } = JSON.parse(line) as Partial<Window>;
      if (ref !== undefined && window !== undefined)
        found.set(JSON.stringify([ref.node, ref.requestId, ref.generation, window]), { ref, window });
    }
  }
  return [...found.values()];
}
