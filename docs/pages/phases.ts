import {
  FAILED_PHASES,
  FAILED_TWIN,
  FLAGS,
  isStable,
  STABLE_PHASES,
  WORKING_PHASES,
  type WorkingPhase,
} from '../../core/phases.ts';
import { ALL_VERBS, isOperationVerb, operationVerb } from '../../core/verbs.ts';
import { code, codes, table } from './markdown.ts';

const operations = ALL_VERBS.filter(isOperationVerb).map((verb) => ({ verb, ...operationVerb(verb) }));
const startable = (phase: string): string[] =>
  operations.filter((o) => (o.from as readonly string[]).includes(phase)).map((o) => o.verb);

/** The phases of a node, and a diagram of the ways between them. */
export function phasesPage(): string {
  return [
    '# Phases of a node',
    '',
    'Stable phases move only when someone asks. Working phases are an operation in progress. Each working phase',
    'has a failed twin, which keeps what failed and the evidence, and which can be left by a verb again. A node of',
    'the inventory begins as `enrolled`, also before anything was asked of it.',
    '',
    '```mermaid',
    ...diagram(),
    '```',
    '',
    'Not drawn, to keep it readable: `inspect` and `service` go back to the phase they came from; `power` leaves',
    'every stable phase as it is; `decommission` starts from every failed phase too; each working phase leads to',
    'its failed twin, and the verbs that lead out of those are in the table below.',
    '',
    '## Stable',
    '',
    table(
      ['phase', 'verbs that start here'],
      STABLE_PHASES.map((phase) => [code(phase), codes(startable(phase))]),
    ),
    '',
    '## Working, and failed',
    '',
    table(
      ['working', 'of', 'failed twin', 'verbs that start there'],
      WORKING_PHASES.map((phase) => {
        const twin = FAILED_TWIN[phase];
        return [code(phase), codes(of(phase)), code(twin), codes(startable(twin))];
      }),
    ),
    '',
    '## Flags',
    '',
    `Beside the phase stand flags, which do not change it: ${FLAGS.map(code).join(', ')}.`,
    '`held`: the operation waits for someone. `maintenance` and `quarantined`: the node is given to no one.',
    '`drift`: the last inspection differs from the contract, or from the one that was accepted. `residue`: an operation left',
    'something behind (media, a boot override, power, an allocation); it is looked at again by itself.',
    '',
    `${STABLE_PHASES.length + WORKING_PHASES.length + FAILED_PHASES.length} phases in all.`,
  ].join('\n');
}

const of = (phase: WorkingPhase): string[] =>
  operations.filter((o) => o.through.includes(phase)).map((o) => o.verb);

function diagram(): string[] {
  const lines = new Set<string>(['  [*] --> enrolled']);
  for (const { verb, from, through, to } of operations) {
    if (to === 'return') continue;
    for (const phase of from.filter(isStable)) {
      lines.add(`  ${id(phase)} --> ${id(through[0]!)}: ${verb}`);
    }
    through.forEach((phase, i) => lines.add(`  ${id(phase)} --> ${id(through[i + 1] ?? to)}`));
  }
  return ['stateDiagram-v2', ...lines];
}

/** Mermaid takes a dash in a name for part of an arrow. */
const id = (phase: string): string => phase.replaceAll('-', '_');
