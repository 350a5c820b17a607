import { CHECKS } from '../../core/acceptance/checks.ts';
import { GATES, type Gate } from '../../core/acceptance/gates.ts';
import { REQUIREMENTS } from '../../core/acceptance/requirements.ts';
import { code, codes, table } from './markdown.ts';

/** The seven gates, and every check that there is. */
export function gatesPage(): string {
  return [
    '# Gates and checks',
    '',
    'What `rackwright acceptance run` checks, gate by gate. A run stops at the first gate that is not green; the other',
    'checks of that gate still run. [How runs behave](../explanation/the-seven-gates.md).',
    '',
    table(
      ['gate', 'name', 'owner', 'depends on', 'checks', 'the run stops here when'],
      GATES.map((gate) => [
        `${gate.number} ${gate.title}`,
        code(gate.id),
        gate.owner,
        gate.dependsOn.join(', ') || '–',
        String(own(gate).length || '**none yet**'),
        gate.stopsWhen,
      ]),
    ),
    ...GATES.filter((gate) => own(gate).length > 0).flatMap((gate) => [
      '',
      `## Gate ${gate.number}: ${gate.title}`,
      '',
      table(
        ['check', 'what a pass shows', 'from', 'fault domain', 'requirements'],
        own(gate).map((check) => [
          code(check.id),
          check.shows,
          check.from,
          check.faultDomain,
          codes(check.requirements) || '–',
        ]),
      ),
    ]),
    '',
    '## Requirements',
    '',
    'Checks carry the ids of those requirements of [NVIDIA’s AI Cloud Validation](https://github.com/NVIDIA/ai-cloud-validation)',
    'that a pass of theirs is evidence for, here and in every report. Hardly any of them is met by one check alone; of the',
    'others of its catalogue this project says nothing.',
    '',
    table(
      ['requirement', 'its name there', 'checks'],
      Object.entries(REQUIREMENTS).map(([id, name]) => [
        code(id),
        name,
        codes(
          CHECKS.filter(({ requirements }) => (requirements as readonly string[]).includes(id)).map(
            (check) => check.id,
          ),
        ),
      ]),
    ),
    '',
    'A gate without checks cannot be run: a run that asks for it ends at once, with `GATE_NOT_SUPPORTED`.',
  ].join('\n');
}

const own = ({ number }: Gate) => CHECKS.filter(({ gate }) => gate === number);
