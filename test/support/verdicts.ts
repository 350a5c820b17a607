import { TestRunner } from 'vitest';

/** How checks came out, by their ids. */
export type Outcomes = { readonly [check: string]: string };

declare module 'vitest' {
  interface TaskMeta {
    outcomes?: Outcomes[];
  }
}

/** Keeps with the test that runs how checks came out, for the page that a whole run writes. */
export function keepOutcomes(checks: readonly { readonly id: string; readonly outcome?: string }[]): void {
  const test = TestRunner.getCurrentTest();
  const seen = Object.fromEntries(checks.map(({ id, outcome = 'not made' }) => [id, outcome]));
  if (test) (test.meta.outcomes ??= []).push(seen);
}
