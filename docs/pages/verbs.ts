import type { Field } from '../../core/fields.ts';
import { VERB_FIELDS } from '../../core/messages.ts';
import { OBSERVED_FIELDS } from '../../core/observed.ts';
import { DRIVER_PLANS, supportedVerbs, type DriverName } from '../../core/plans/index.ts';
import { ALL_VERBS, isOperationVerb, operationVerb, VERBS, type Verb } from '../../core/verbs.ts';
import { code, codes, table } from './markdown.ts';

const DRIVERS = Object.keys(DRIVER_PLANS) as DriverName[];

/** Every verb: whence, whither, its fields, and which drivers can do it. */
export function verbsPage(): string {
  return [
    '# Verbs',
    '',
    'A verb is a signal and an update of workflow `node`, of the same name and with the same argument: one JSON',
    'object. The command line calls them `rackwright node VERB NODE`. An update answers',
    '`{operationId, workflowId}` or is rejected with a code; after a signal, await `op/<site>/<node>/<requestId>`.',
    '',
    '## Verbs that run an operation',
    '',
    table(
      ['verb', 'from', 'through', 'to', 'drivers'],
      ALL_VERBS.filter(isOperationVerb).map((verb) => {
        const { from, through, to } = operationVerb(verb);
        const drivers = DRIVERS.filter((driver) => supportedVerbs(driver).includes(verb));
        return [
          code(verb),
          codes(from),
          codes(through),
          to === 'return' ? 'where it was' : code(to),
          drivers.length === 0 ? 'none yet: `NOT_SUPPORTED`' : drivers.join(', '),
        ];
      }),
    ),
    '',
    '## Verbs that set a flag',
    '',
    `${codes(kind('flag'))}: in any phase, also while an operation runs.`,
    '',
    '## Verbs about the operation',
    '',
    `${codes(kind('control'))}: on the node, or on the operation itself. A clean-up can only be aborted.`,
    '',
    '## Fields',
    '',
    'Every verb also takes `requestId` (equal ids are one operation), `reason`, `onFailure` (`hold` or `fail`)',
    'and `deadline`. Anything else is refused, with the name of the field.',
    '',
    table(['verb', 'field', 'required', 'must be'], ALL_VERBS.flatMap(fieldRows)),
    '',
    '## What the watch tells',
    '',
    'Not a verb: the [watch of the site](../explanation/how-nodes-are-watched.md) sends a node signal `observed` when it',
    'sees other power or health than the node has. Anything that is no such object is listed as refused, and changes',
    'nothing.',
    '',
    table(
      ['field', 'required', 'must be'],
      Object.entries(OBSERVED_FIELDS).map(([name, field]) => fieldRow(name, field)),
    ),
  ].join('\n');
}

const kind = (of: 'flag' | 'control'): Verb[] => ALL_VERBS.filter((verb) => VERBS[verb].kind === of);

const fieldRows = (verb: Verb): string[][] =>
  Object.entries(VERB_FIELDS[verb] as Record<string, Field>).map(([name, field]) => [
    code(verb),
    ...fieldRow(name, field),
  ]);

const fieldRow = (name: string, field: Field): string[] => [
  code(name),
  field.required ? 'yes' : '',
  field.expects,
];
