import type { Failure } from '../errors/failure.ts';
import { gateOf, gatesAgain, type GateNumber } from './gates.ts';
import type { CheckReport, CheckResult, GateReport, OpenedAcceptance, PlannedCheck } from './report.ts';
import { gateOutcome, isGreen } from './verdict.ts';

/** The gates of a run as they stand: what each step of the run makes of them. Values are replaced, never changed. */
export class Board {
  readonly #runId: string;
  readonly #plans: ReadonlyMap<GateNumber, readonly PlannedCheck[]>;
  #gates: readonly GateReport[];

  constructor(runId: string, { gates }: Pick<OpenedAcceptance, 'gates'>) {
    this.#runId = runId;
    this.#plans = new Map(gates.map(({ gate, checks }) => [gate, checks]));
    this.#gates = gates.map(({ gate, checks, kept }) => kept ?? fresh(gate, checks, 0));
  }

  get gates(): readonly GateReport[] {
    return this.#gates;
  }

  get numbers(): GateNumber[] {
    return this.#gates.map(({ gate }) => gate);
  }

  gate(number: GateNumber): GateReport {
    return this.#gates.find(({ gate }) => gate === number)!;
  }

  /** The checks of a gate that are to be run. */
  checksOf(number: GateNumber): PlannedCheck[] {
    return (this.#plans.get(number) ?? []).filter(({ skipped }) => skipped === undefined);
  }

  /** The title of a check that another one builds on, and that has not passed. */
  lacking(number: GateNumber, { needs }: Pick<PlannedCheck, 'needs'>): string | undefined {
    const { checks } = this.gate(number);
    return checks.find(({ id, outcome }) => needs.includes(id) && outcome !== 'pass')?.title;
  }

  /** The gates that are not green, in order. */
  due(): GateNumber[] {
    return this.#gates.filter(({ outcome }) => !isGreen(outcome)).map(({ gate }) => gate);
  }

  /** A gate begins: its checks are anew, but for those that the contract has nothing for. */
  begin(number: GateNumber, at: string): void {
    const { runs } = this.gate(number);
    const gate = fresh(number, this.#plans.get(number) ?? [], runs + 1);
    this.#set({ ...gate, state: 'running', startedAt: at });
  }

  checkBegins(number: GateNumber, id: string, at: string): void {
    this.#patch(number, id, { state: 'running', startedAt: at });
  }

  checkEnds(number: GateNumber, id: string, result: CheckResult, at: string): void {
    this.#patch(number, id, { state: 'done', endedAt: at, ...result });
  }

  /** A check that could not be told. */
  checkErred(number: GateNumber, id: string, failure: Failure, at: string): void {
    const findings = [{ target: '', failure }];
    const summary = 'it could not be told';
    this.checkEnds(number, id, { outcome: 'error', summary, findings, targets: 0, evidence: [] }, at);
  }

  /** A gate is over; what left no result by then is an error of its own. */
  end(number: GateNumber, at: string): GateReport {
    const gate = this.gate(number);
    const outcome = gateOutcome(gate.checks);
    this.#set({ ...gate, state: 'done', outcome, endedAt: at });
    return this.gate(number);
  }

  /** It is no time for a gate: none of its checks is made, and the run goes on. */
  leaveOut(number: GateNumber, reason: string, at: string): void {
    const gate = this.gate(number);
    const checks = gate.checks.map((check): CheckReport => ({
      ...check,
      state: 'done',
      outcome: 'skipped',
      summary: reason,
    }));
    this.#set({ ...gate, state: 'done', outcome: 'skipped', endedAt: at, leftOut: reason, checks });
  }

  /** A run stops: what runs is over without a verdict, and what is still to run is held back. */
  stop(): void {
    this.#gates = this.#gates.map((gate) => {
      if (gate.state === 'done') return gate;
      const { outcome: _none, ...rest } = gate;
      const checks = rest.checks.map((check): CheckReport =>
        check.state === 'done' ? check : { ...check, state: 'held-back' },
      );
      return { ...rest, checks, state: 'held-back' };
    });
  }

  /**
   * A gate is to run again, and all that depends on it. Of the gates that are green and do not, the evidence is
   * kept and marked.
   */
  again(from: GateNumber): void {
    const again = gatesAgain(from, this.numbers);
    this.#gates = this.#gates.map((gate) => {
      if (again.includes(gate.gate) || !isGreen(gate.outcome)) {
        return fresh(gate.gate, this.#plans.get(gate.gate) ?? [], gate.runs);
      }
      return gate.kept || gate.endedAt === undefined
        ? gate
        : { ...gate, kept: { runId: this.#runId, endedAt: gate.endedAt } };
    });
  }

  #set(gate: GateReport): void {
    this.#gates = this.#gates.map((each) => (each.gate === gate.gate ? gate : each));
  }

  #patch(number: GateNumber, id: string, over: Partial<CheckReport>): void {
    const gate = this.gate(number);
    const checks = gate.checks.map((check) => (check.id === id ? { ...check, ...over } : check));
    this.#set({ ...gate, checks });
  }
}

/** A gate that has not run, or is about to run again. */
function fresh(number: GateNumber, checks: readonly PlannedCheck[], runs: number): GateReport {
  const { id, title, owner } = gateOf(number);
  return { gate: number, id, title, owner, state: 'pending', runs, checks: checks.map(freshCheck) };
}

function freshCheck({ id, title, from, requirements, skipped }: PlannedCheck): CheckReport {
  return {
    id,
    title,
    from,
    ...(requirements.length > 0 ? { requirements } : {}),
    ...(skipped === undefined
      ? { state: 'pending' }
      : { state: 'done', outcome: 'skipped', summary: skipped }),
  };
}
