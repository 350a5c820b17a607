import type { ServiceType } from './catalog.ts';
import { firstWords } from '../whole-words.ts';

/** What a status command shows that has come to its end. */
export type Shown =
  | { readonly right: string }
  | { readonly wrong: string; readonly correction: string }
  /** Its end says nothing of the service. */
  | { readonly untold: string };

interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command by which a service says itself whether its database is as its programs need it. It only reads. */
export interface StatusCommand {
  readonly service: ServiceType;
  readonly program: string;
  /** What its words end with. */
  readonly ends: readonly string[];
  judge(ended: Ended): Shown;
}

/** What an exit code means that is documented. A program that crashed ends with 1 too, and is not to be believed. */
interface Code {
  readonly wrong: string;
  readonly run: string;
  /** What it says on that way out. */
  readonly says?: RegExp;
}

const byCode =
  (right: string, codes: { readonly [code: number]: Code }): StatusCommand['judge'] =>
  ({ exitCode, stdout, stderr }) => {
    if (exitCode === 0) return { right };
    const code = codes[exitCode];
    if (code === undefined || (code.says && !code.says.test(stdout)))
      return untold(exitCode, stderr || stdout);
    return { wrong: code.wrong, correction: code.run };
  };

/** The last line that it said. */
function untold(exitCode: number, said: string): Shown {
  const last = said.trim().split('\n').at(-1)?.trim() ?? '';
  return {
    untold: `it ended with ${exitCode}${last === '' ? '' : `: ${firstWords(withoutLogin(last), 300)}`}`,
  };
}

/**
 * Without what stands before the last host of a URL: a traceback may have the login to the database in it, or those to
 * each host of the message queue. A password may have in it what a URL would have escaped.
 */
export const withoutLogin = (said: string): string => said.replaceAll(/\/\/[^\s'"]+@/g, '//[redacted]@');

/** The table of `upgrade check`, which the codes are believed with alone. */
const TABLE = /Upgrade Check Results/;

/** The names of the checks that came out so. */
const checksOf = (stdout: string, result: string): string[] =>
  [...stdout.matchAll(/Check: (.+?)\s*\|\s*\n\|\s*Result: (\w+)/g)].flatMap(([, name, is]) =>
    is === result ? [name!.trim()] : [],
  );

function judgeUpgrade(program: string): StatusCommand['judge'] {
  return ({ exitCode, stdout, stderr }) => {
    if (!TABLE.test(stdout) || exitCode > 2) return untold(exitCode, stderr || stdout);
    const warned = checksOf(stdout, 'Warning');
    if (exitCode < 2)
      return { right: `ready${warned.length > 0 ? `, with a warning: ${warned.join(', ')}` : ''}` };
    const failed = checksOf(stdout, 'Failure');
    return {
      wrong: `an upgrade step is not done: ${failed.join(', ') || 'see the evidence'}`,
      correction: `Run ${program} upgrade check there, and do what it says in its details.`,
    };
  };
}

/** Each branch of Neutron's schema is at its head. */
const judgeHeads: StatusCommand['judge'] = ({ exitCode, stdout, stderr }) => {
  if (exitCode !== 0 || !/Running current/.test(stdout)) return untold(exitCode, stderr || stdout);
  const revisions = [...stdout.matchAll(/^\s*([0-9a-z_]{4,})((?: \([a-z ]+\))*)\s*$/gm)];
  const behind = revisions.filter(([, , marks]) => !marks?.includes('(head)')).map(([, id]) => id);
  if (revisions.length > 0 && behind.length === 0) return { right: 'at its head' };
  return {
    wrong:
      revisions.length === 0
        ? 'its database has no schema'
        : `its database is at ${behind.join(', ')}, which is not the head`,
    correction: 'neutron-db-manage upgrade heads (with the neutron-server of the older release stopped).',
  };
};

const UP_TO_DATE = 'up to date';

/** Known commands, the first of a service is its default. */
export const STATUS_COMMANDS: readonly StatusCommand[] = [
  {
    service: 'identity',
    program: 'keystone-manage',
    ends: ['db_sync', '--check'],
    judge: byCode(UP_TO_DATE, {
      2: { wrong: 'its database is to be expanded', run: 'keystone-manage db_sync --expand' },
      3: { wrong: 'data of its database is to be migrated', run: 'keystone-manage db_sync --migrate' },
      4: { wrong: 'its database is to be contracted', run: 'keystone-manage db_sync --contract' },
    }),
  },
  {
    service: 'image',
    program: 'glance-manage',
    ends: ['db', 'check'],
    judge: byCode(UP_TO_DATE, {
      3: { wrong: 'its database is to be expanded', run: 'glance-manage db expand' },
      4: { wrong: 'data of its database is to be migrated', run: 'glance-manage db migrate' },
      5: { wrong: 'its database is to be contracted', run: 'glance-manage db contract' },
    }),
  },
  { service: 'network', program: 'neutron-db-manage', ends: ['current'], judge: judgeHeads },
  {
    service: 'network',
    program: 'neutron-db-manage',
    ends: ['has_offline_migrations'],
    judge: byCode('no migration is left that needs it to be stopped', {
      1: {
        wrong: 'a migration is left that needs it to be stopped',
        run: 'Stop neutron-server everywhere; neutron-db-manage upgrade --contract',
        says: /Need to apply migrations/,
      },
    }),
  },
  upgradeCheck('compute', 'nova-status'),
  upgradeCheck('placement', 'placement-status'),
  upgradeCheck('baremetal', 'ironic-status'),
  upgradeCheck('network', 'neutron-status'),
  upgradeCheck('identity', 'keystone-status'),
  upgradeCheck('image', 'glance-status'),
];

function upgradeCheck(service: ServiceType, program: string): StatusCommand {
  return { service, program, ends: ['upgrade', 'check'], judge: judgeUpgrade(program) };
}

/** The words of a service's command where the contract gives none. */
export function defaultCommand(service: ServiceType): readonly string[] {
  const { program, ends } = STATUS_COMMANDS.find((each) => each.service === service)!;
  return [program, ...ends];
}

const nameOf = (word: string): string => word.slice(word.lastIndexOf('/') + 1);

/**
 * Which known command these words are, whatever stands before the program (`sudo`, `docker exec keystone`) and which
 * options it is given; undefined: none that only reads.
 */
export const statusCommandOf = (service: ServiceType, words: readonly string[]): StatusCommand | undefined =>
  STATUS_COMMANDS.find(({ service: of, program, ends }) => {
    const at = words.findIndex((word) => nameOf(word) === program);
    const options = words.slice(at + 1, words.length - ends.length);
    return (
      of === service &&
      at !== -1 &&
      words.length - ends.length > at &&
      ends.every((word, i) => words[words.length - ends.length + i] === word) &&
      options.every((word, i) => word.startsWith('-') || /^--config-(file|dir)$/.test(options[i - 1] ?? ''))
    );
  });
