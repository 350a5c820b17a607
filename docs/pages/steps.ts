import { formatDuration } from '../../core/duration.ts';
import { DRIVER_PLANS, supportedVerbs, type DriverName } from '../../core/plans/index.ts';
import type { Step } from '../../core/steps.ts';
import { code, codes, table } from './markdown.ts';

/** The plans of every driver, verb by verb. */
export function stepsPage(): string {
  const drivers = Object.keys(DRIVER_PLANS) as DriverName[];
  return [
    '# Steps',
    '',
    'What each driver does for each verb. A step needs facts and makes facts; after a hold, `resume` asks which',
    'facts still hold and goes back to the first step whose fact does not. A step that is not repeatable changes a',
    'disk: its effect happens once in an operation, also when a worker dies in the middle of it.',
    '',
    '`rackwright plan VERB NODE` prints the plan of a node.',
    ...drivers.flatMap((driver) => [
      '',
      `## ${driver}`,
      '',
      `Facts that are asked of the world: ${codes([...DRIVER_PLANS[driver].observed].sort())}. The others are`,
      'remembered by the operation.',
      ...supportedVerbs(driver).flatMap((verb) => [
        '',
        `### ${driver}: ${verb}`,
        '',
        table(
          ['step', 'what', 'phase', 'needs', 'makes', 'at most', 'repeatable', 'owner', 'fault domain'],
          DRIVER_PLANS[driver].plan(verb, {})!.map(row),
        ),
      ]),
    ]),
  ].join('\n');
}

const row = (step: Step): string[] => [
  code(step.id),
  step.title,
  step.phase === null ? '–' : code(step.phase),
  codes(step.needs),
  codes(step.makes),
  formatDuration(step.bounds.total),
  step.repeatable ? 'yes' : '**no**',
  step.owner,
  step.faultDomain,
];
