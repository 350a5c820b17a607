import type { JsonObject } from '../core/json.ts';
import type { OperationInput, StepOutput } from '../core/operations.ts';
import type { Phase } from '../core/phases.ts';
import { RESIDUES, type Fact, type Residue, type Step } from '../core/steps.ts';

/** How the node stands, as far as an operation knows: its phase, what is true of it, what is left on it. */
export class Standing {
  phase: Phase;
  data: JsonObject = {};
  readonly #facts = new Set<Fact>();
  readonly #left = new Set<Residue>();
  /** What was made safe, and may be looked at once more. */
  readonly #settled = new Set<Residue>();
  /** What earlier operations left: it is carried on unless a step clears it. A clean-up makes it its own. */
  readonly #inherited: Set<Residue>;

  constructor({ snapshot, residue }: OperationInput) {
    this.phase = snapshot.phase;
    this.#inherited = new Set(residue);
  }

  /** For a clean-up: what it is to remove is its own. */
  adopt(residue: readonly Residue[]): void {
    for (const each of residue) this.#left.add(each);
    this.#inherited.clear();
  }

  /** For a clean-up that cannot even begin: what may be there stays. */
  mayHave(residue: readonly Residue[]): void {
    for (const each of residue) this.#inherited.add(each);
  }

  begins(step: Step): void {
    for (const residue of step.leaves) this.#left.add(residue);
    for (const fact of step.breaks) this.#facts.delete(fact);
  }

  ends(step: Step, output: StepOutput): void {
    this.data = { ...this.data, ...output.data };
    for (const fact of step.makes) this.#facts.add(fact);
    for (const residue of step.clears) {
      this.#left.delete(residue);
      this.#inherited.delete(residue);
    }
  }

  /** What this operation left, apart from what it found, was made safe but for this. */
  settled(stillLeft: readonly Residue[], data: JsonObject | undefined): void {
    for (const residue of this.left()) {
      if (stillLeft.includes(residue)) continue;
      this.#left.delete(residue);
      this.#settled.add(residue);
    }
    this.found(data);
  }

  /** What was found out of the node. */
  found(data: JsonObject | undefined): void {
    this.data = { ...this.data, ...data };
  }

  /** What was made safe a while ago may not be so any more: anyone can switch on a node that is held. */
  mayBeBack(): void {
    for (const residue of this.#settled) this.#left.add(residue);
  }

  remembers(fact: Fact): boolean {
    return this.#facts.has(fact);
  }

  /** What this operation itself left on the node. */
  left(): Residue[] {
    return RESIDUES.filter((residue) => this.#left.has(residue));
  }

  /** All that is left on the node. */
  residue(): Residue[] {
    return RESIDUES.filter((residue) => this.#left.has(residue) || this.#inherited.has(residue));
  }
}
