import { condition, patched, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { Board } from '../core/acceptance/board.ts';
import { acceptanceDetails } from '../core/acceptance/details.ts';
import type { Stage } from '../core/acceptance/check.ts';
import { gateOf, type GateNumber } from '../core/acceptance/gates.ts';
import type {
  AcceptanceInput,
  AcceptanceReport,
  OpenedAcceptance,
  RunTicket,
} from '../core/acceptance/report.ts';
import { failureOfGate, isGreen, runOutcome } from '../core/acceptance/verdict.ts';
import { failure, type Failure } from '../core/errors/failure.ts';
import { acceptanceWorkflowId } from '../core/names.ts';
import type { Outcome } from '../core/operations.ts';
import { keepGate, keepVerdict, noTimeFor } from './acceptance-standing.ts';
import { siteActivities } from './activities.ts';
import { Checks } from './acceptance-checks.ts';
import { failureOf, isCancelled, isReported } from './failures.ts';
import { Refresh } from './refresh.ts';
import { attribute } from './search-attributes.ts';
import { Stopping } from './stopping.ts';

interface Verdict {
  readonly outcome: Outcome;
  readonly failure?: Failure;
}

/** How many remarks are kept; older ones go first. */
const NOTES = 20;

const now = (): string => new Date().toISOString();

/** One acceptance run from its opening to its verdict: where it stands, and what is asked of it meanwhile. */
export class AcceptanceRun {
  readonly #input: AcceptanceInput;
  readonly #startedAt = now();
  readonly #stopping = new Stopping();
  readonly #refresh = new Refresh(() => this.#show());
  #opened: OpenedAcceptance | null = null;
  #board: Board | null = null;
  #checks: Checks | null = null;
  #held = false;
  #over = false;
  #stoppedAt: GateNumber | undefined;
  #failure: Failure | undefined;
  #resumed: { readonly from?: GateNumber } | null = null;
  #notes: string[] = [];
  #end: { outcome: Outcome; endedAt: string } | undefined;
  #shown = '';

  constructor(input: AcceptanceInput) {
    this.#input = input;
  }

  report(): AcceptanceReport {
    const { site, runId } = this.#input;
    const gates = this.#board?.gates ?? [];
    return {
      site,
      runId,
      startedAt: this.#startedAt,
      ...this.#end,
      held: this.#held,
      ...(this.#failure ? { failure: this.#failure } : {}),
      ...(this.#stoppedAt === undefined ? {} : { stoppedAt: this.#stoppedAt }),
      gates,
      notes: this.#notes,
      ...(this.#opened
        ? { contractHash: this.#opened.contractHash, fingerprint: this.#opened.fingerprint }
        : {}),
      evidence: [],
    };
  }

  ticket(): RunTicket {
    const { site, runId } = this.#input;
    return { runId, workflowId: acceptanceWorkflowId(site, runId) };
  }

  note(text: string): void {
    this.#notes = [...this.#notes, `${now()} ${text}`].slice(-NOTES);
    this.#refresh.request();
  }

  refuseResume({ from }: { readonly from?: GateNumber }): Failure | undefined {
    if (this.#over) return failure('NOT_HELD', 'This run is over.');
    if (!this.#held) return failure('NOT_HELD', 'This run is not held: its gates are being checked.');
    const last = this.#stoppedAt!;
    if (from === undefined || (from <= last && this.#board!.numbers.includes(from))) return undefined;
    const may = this.#board!.numbers.filter((number) => number <= last).join(', ');
    return failure(
      'INVALID_MESSAGE',
      `resume: from must be a gate of this run up to the one that it stopped at: ${may}.`,
    );
  }

  /** Runs the gate that the run stopped at again, or one before it. */
  resume(request: { readonly from?: GateNumber }): void {
    this.#resumed = request;
  }

  refuseAbort(): Failure | undefined {
    return this.#over ? failure('NOT_HELD', 'This run is over.') : undefined;
  }

  /** Ends the run; what it set up is taken back first. A second one ends that, too. */
  abort(reason: string): void {
    const why = failure('ABORTED', `Aborted: ${reason}`);
    if (this.#stopping.why) this.#checks?.giveUp(why);
    this.#stopping.stop(why);
  }

  async run(): Promise<AcceptanceReport> {
    this.#show();
    const verdict = await this.#work();
    return this.#close(verdict);
  }

  /** Opens the run and takes its gates, holding where that is wanted. */
  async #work(): Promise<Verdict> {
    try {
      const { site } = this.#input;
      this.#opened = await this.#stopping.scope(() => siteActivities(site).openAcceptance(this.#input));
    } catch (error) {
      if (!isReported(error)) throw error;
      const { why } = this.#stopping;
      if (why && isCancelled(error)) return { outcome: 'aborted', failure: why };
      const f = failureOf(error) ?? failure('UNEXPECTED', 'It could not be opened.');
      return { outcome: f.code === 'UNEXPECTED' ? 'error' : 'fail', failure: f };
    }
    const board = new Board(this.#input.runId, this.#opened);
    this.#board = board;
    const checks = new Checks({
      input: this.#input,
      opened: this.#opened,
      board,
      note: (text) => this.note(text),
      changed: () => this.#refresh.request(),
    });
    this.#checks = checks;
    this.#show();
    for (;;) {
      const stoppedAt = await this.#gates(board, checks);
      const { why } = this.#stopping;
      if (why) return { outcome: 'aborted', failure: why };
      if (stoppedAt === undefined) return this.#passed(board);
      this.#stoppedAt = stoppedAt;
      this.#failure =
        failureOfGate(board.gate(stoppedAt).checks) ??
        failure('CHECK_NO_RESULT', `A check of gate ${stoppedAt} has no result.`);
      if (this.#opened.onFailure === 'fail')
        return { outcome: runOutcome(board.gates), failure: this.#failure };
      const verdict = await this.#hold(board, this.#opened.holdForSeconds);
      if (verdict) return verdict;
    }
  }

  /** Takes the gates that are due. Returns the one that is not green. */
  async #gates(board: Board, checks: Checks): Promise<GateNumber | undefined> {
    for (const number of board.due()) {
      const ranBefore = board.gate(number).runs > 0;
      board.begin(number, now());
      this.#show();
      const closed = await noTimeFor(number, this.#input.site, this.#opened!);
      // What was red does not become green by leaving it out.
      const f =
        typeof closed === 'string' && ranBefore
          ? failure('WINDOW_CLOSED', `Gate ${number} ran in this run, and is not run again now: ${closed}`)
          : closed;
      if (f !== null && typeof f !== 'string') {
        for (const { id } of board.checksOf(number)) board.checkErred(number, id, f, now());
        board.end(number, now());
        this.#show();
        return number;
      }
      if (f !== null) {
        board.leaveOut(number, f, now());
        this.note(`Gate ${number}, ${gateOf(number).title}, was left out: ${f}`);
        continue;
      }
      const stage = (name: Stage) => board.checksOf(number).filter((check) => check.stage === name);
      try {
        await this.#stopping.scope(() => checks.sideBySide(number, stage('check')));
      } catch (error) {
        if (!this.#stopping.why || !isCancelled(error)) throw error;
      }
      await checks.takeBack(number, [...stage('capture'), ...stage('cleanup')]);
      if (this.#stopping.why) {
        await this.#leave(number, board);
        return undefined;
      }
      const { outcome } = board.end(number, now());
      this.#show();
      await keepGate(this.#input, this.#opened!, board.gate(number), (text) => this.note(text));
      if (!isGreen(outcome)) return number;
    }
    return undefined;
  }

  /** The run was aborted within a gate: that is red where what it had set up is not taken back. */
  async #leave(number: GateNumber, board: Board): Promise<void> {
    const cleanUp = board.checksOf(number).filter(({ stage }) => stage === 'cleanup');
    const { checks } = board.gate(number);
    const isBack = cleanUp.every(({ id }) => isGreen(checks.find((each) => each.id === id)?.outcome));
    // Runs of an earlier version left it as it was.
    if (isBack || !patched('not-taken-back')) return;
    board.stop();
    board.end(number, now());
    this.#stoppedAt = number;
    this.note(`Gate ${number} has not taken back all that it had set up.`);
    await keepGate(this.#input, this.#opened!, board.gate(number), (text) => this.note(text));
  }

  /** Every gate is green, but one of them has to have shown something. */
  #passed(board: Board): Verdict {
    this.#stoppedAt = undefined;
    this.#failure = undefined;
    const outcome = runOutcome(board.gates);
    if (outcome === 'pass') return { outcome };
    return {
      outcome,
      failure: failure(
        'CHECK_NO_RESULT',
        'Every check was skipped: the contract has nothing that these gates look at.',
        {
          faultDomain: 'contract',
          correction: 'Give the contract what the gates are to hold it to, such as `controllers`.',
        },
      ),
    };
  }

  /** Waits for someone. Returns the verdict if nobody came, or it was aborted. */
  async #hold(board: Board, seconds: number): Promise<Verdict | undefined> {
    this.#held = true;
    this.#resumed = null;
    this.#show();
    const answered = await condition(
      () => this.#resumed !== null || this.#stopping.why !== null,
      seconds * 1000,
      { summary: 'Held: waits for resume or abort' },
    );
    this.#held = false;
    const { why } = this.#stopping;
    if (why) return { outcome: 'aborted', failure: why };
    const f = this.#failure!;
    if (!answered) {
      const message = `No one resumed it within ${seconds} s. It was held for ${f.code}: ${f.message}`;
      const { faultDomain } = f;
      return { outcome: runOutcome(board.gates), failure: failure('HOLD_EXPIRED', message, { faultDomain }) };
    }
    board.again((this.#resumed as { from?: GateNumber } | null)?.from ?? this.#stoppedAt!);
    this.#stoppedAt = undefined;
    this.#failure = undefined;
    return undefined;
  }

  async #close({ outcome, failure: f }: Verdict): Promise<AcceptanceReport> {
    this.#over = true;
    this.#board?.stop();
    this.#failure = f;
    this.#end = { outcome, endedAt: now() };
    this.#show();
    await keepVerdict(this.report(), (text) => this.note(text));
    const report = this.report();
    try {
      const closed = await siteActivities(this.#input.site).closeAcceptance({ report });
      // Workers of an earlier version told of the evidence only.
      return Array.isArray(closed)
        ? { ...report, evidence: closed as AcceptanceReport['evidence'] }
        : { ...report, ...closed };
    } catch (error) {
      // A report that cannot be kept as evidence is still the result.
      if (!isReported(error)) throw error;
      return report;
    }
  }

  /** Brings the Web UI up to date. */
  #show(): void {
    const report = this.report();
    setCurrentDetails(acceptanceDetails(report));
    const gate = this.#stoppedAt ?? report.gates.find(({ state }) => state === 'running')?.gate;
    const { failure: f, outcome, held, site } = report;
    const seen = [gate, f?.faultDomain, outcome, held].join();
    if (seen === this.#shown) return;
    this.#shown = seen;
    upsertSearchAttributes([
      attribute('RackwrightSite', site),
      attribute('RackwrightGate', gate === undefined ? null : String(gate)),
      attribute('RackwrightFaultDomain', f?.faultDomain ?? null),
      attribute('RackwrightOutcome', outcome ?? null),
      attribute('RackwrightFlags', held ? ['held'] : null),
    ]);
  }
}
