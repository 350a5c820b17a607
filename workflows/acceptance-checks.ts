import type { Board } from '../core/acceptance/board.ts';
import type { GateNumber } from '../core/acceptance/gates.ts';
import type {
  AcceptanceInput,
  CheckInput,
  OpenedAcceptance,
  PlannedCheck,
} from '../core/acceptance/report.ts';
import { failure, type Failure } from '../core/errors/failure.ts';
import { runCheck, siteActivities } from './activities.ts';
import { failureOf, isCancelled, isReported } from './failures.ts';
import { Stopping } from './stopping.ts';

const now = (): string => new Date().toISOString();

/** What the checks of a run are made with. */
export interface CheckParts {
  readonly input: AcceptanceInput;
  readonly opened: OpenedAcceptance;
  readonly board: Board;
  /** Keeps a remark of the run. */
  readonly note: (text: string) => void;
  /** The board has changed. */
  readonly changed: () => void;
}

/** Makes the checks of gates, and brings what each came to onto the board. */
export class Checks {
  readonly #parts: CheckParts;
  readonly #cleanup = new Stopping();

  constructor(parts: CheckParts) {
    this.#parts = parts;
  }

  /** What is being taken back is given up. */
  giveUp(why: Failure): void {
    this.#cleanup.stop(why);
  }

  /** Made one after the other, whatever happened, until they are given up. */
  async takeBack(number: GateNumber, checks: readonly PlannedCheck[]): Promise<void> {
    try {
      for (const check of checks) await this.#cleanup.scope(() => this.#make(number, check));
    } catch (error) {
      if (!this.#cleanup.why || !isCancelled(error)) throw error;
      this.#parts.note(`What gate ${number} has to take back was given up: ${this.#cleanup.why.message}`);
    }
  }

  /** Made side by side; one that builds on others waits for them. */
  async sideBySide(number: GateNumber, checks: readonly PlannedCheck[]): Promise<void> {
    const made = new Map<string, Promise<void>>();
    for (const check of checks) {
      const needed = check.needs.map((id) => made.get(id));
      made.set(
        check.id,
        Promise.all(needed).then(() => this.#make(number, check)),
      );
    }
    // None is left running behind: what comes after may take back what it looks at.
    for (const each of await Promise.allSettled(made.values()))
      if (each.status === 'rejected') throw each.reason;
  }

  async #make(number: GateNumber, check: PlannedCheck): Promise<void> {
    const { input, opened, board, note, changed } = this.#parts;
    const { site, runId } = input;
    const lacking = board.lacking(number, check);
    if (lacking !== undefined) {
      const message = `Not made: it builds on “${lacking}”, which did not pass.`;
      return board.checkErred(number, check.id, failure('CHECK_NOT_MADE', message), now());
    }
    const { contractHash } = opened;
    const { runs: run } = board.gate(number);
    const asked: CheckInput = { site, runId, contractHash, gate: number, check: check.id, run };
    board.checkBegins(number, check.id, now());
    changed();
    for (;;) {
      try {
        board.checkEnds(number, check.id, await runCheck(check, asked), now());
        return changed();
      } catch (error) {
        if (isCancelled(error) || !isReported(error)) throw error;
        const known = failureOf(error);
        if (known) {
          board.checkErred(number, check.id, known, now());
          return changed();
        }
        // No attempt said anything: no worker was there. The check is made when there is one again.
        note(`${check.title}: no worker of the site answers`);
        await siteActivities(site).awaitWorker({ site });
      }
    }
  }
}
