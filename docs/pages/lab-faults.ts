import { FAULT_SWITCHES } from '../../lab/fault-switches.ts';
import { code, table } from './markdown.ts';

const TAKES = { count: 'times, or `true`', flag: '`true`', milliseconds: 'milliseconds' } as const;

/** The fault switches of the lab. */
export const labFaultsPage = (): string =>
  [
    '# Fault switches of the lab',
    '',
    'Set with `PUT /servers/<name>/faults` on the lab, one JSON object of switches. A switch that counts takes a',
    'number of times or `true` for always; `0` or `false` turns it off. `GET /faults` lists them too.',
    '',
    table(
      ['switch', 'takes', 'what then happens'],
      FAULT_SWITCHES.map(({ name, value, description }) => [code(name), TAKES[value], description]),
    ),
  ].join('\n');
