import { afterAll } from 'vitest';

/**
 * Says which checks the tests of this file show failing, and on what: `the lab`, or the name of something that no one
 * here wrote. The page of proofs is made from these calls, read as text: both arguments are written out. The file fails
 * when one of the checks was not seen failing, unless some of its tests were left out.
 *
 * @returns to be called with each check that was seen to fail
 */
export function shownFailing(counterpart: string, checks: readonly string[]): (check: string) => void {
  const seen = new Set<string>();
  // Vitest reads from the text of the function which fixtures it takes: none.
  // oxlint-disable-next-line no-empty-pattern
  afterAll(({}, suite) => {
    const left = checks.filter((check) => !seen.has(check));
    if (left.length > 0 && !leftOut(suite.tasks))
      throw new Error(`not seen failing on ${counterpart}: ${left.join(', ')}`);
  });
  return (check) => {
    if (!checks.includes(check)) throw new Error(`${check} is shown failing, and not in the list of what is`);
    seen.add(check);
  };
}

interface Task {
  readonly mode?: string;
  readonly tasks?: readonly Task[];
}
const leftOut = (tasks: readonly Task[] = []): boolean =>
  tasks.some(({ mode, tasks: inner }) => mode === 'skip' || mode === 'todo' || leftOut(inner));
