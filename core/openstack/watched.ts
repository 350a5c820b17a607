import type { Agent } from './network-agents.ts';
import type { ComputeService } from './compute-services.ts';
import type { Found } from './found.ts';

/** One who reports to its service again and again, at one look. */
export interface Reporter {
  readonly name: string;
  readonly host: string;
  readonly up: boolean;
  /** As the service writes a time: compared, never read. */
  readonly reportedAt: string;
  /** Where the service tells it. */
  readonly startedAt?: string;
}

/** A look, seconds after the first. */
export interface Seen {
  readonly after: number;
  readonly reporters: readonly Reporter[];
}

export const reportersOf = (
  services: readonly ComputeService[],
  agents: readonly Agent[],
): readonly Reporter[] => [
  ...services
    .filter(({ enabled }) => enabled)
    .map(({ binary, host, up, reportedAt }) => ({ name: binary, host, up, reportedAt })),
  ...agents
    .filter(({ adminUp }) => adminUp)
    .map(({ binary, host, alive, reportedAt, startedAt }) => ({
      name: binary,
      host,
      up: alive,
      reportedAt,
      startedAt,
    })),
];

const isOf = ({ name, host }: Reporter, each: Reporter): boolean => each.name === name && each.host === host;

/**
 * Whether each of those that are up goes on reporting, stays up, and is not started anew. Whoever is down the whole
 * time is the finding of another check.
 */
export function judgeWatch(looks: readonly Seen[]): Found[] {
  const all = looks.flatMap(({ reporters }) => reporters);
  const each = all.filter((one, at) => all.findIndex((other) => isOf(other, one)) === at);
  return each.flatMap((one) => judgeOne(one, looks));
}

function judgeOne(one: Reporter, looks: readonly Seen[]): Found[] {
  const states = looks.map(({ after, reporters }) => ({
    after,
    seen: reporters.find((each) => isOf(each, one)),
  }));
  if (states.every(({ seen }) => seen?.up !== true)) return [];
  const what = `${one.name} on ${one.host}`;
  const changes = states.filter(
    ({ seen }, at) => at > 0 && (seen?.up === true) !== (states[at - 1]!.seen?.up === true),
  );
  if (changes.length > 0) {
    const words = changes.map(({ after, seen }) => `${wordOf(seen)} after ${Math.round(after)} s`);
    return [found(`${what} is not stable: ${words.join(', ')}.`, one)];
  }
  const starts = new Set(states.flatMap(({ seen }) => seen?.startedAt || []));
  if (starts.size > 1)
    return [found(`${what} was started anew ${times(starts.size - 1)} within ${lengthOf(looks)} s.`, one)];
  if (new Set(states.map(({ seen }) => seen?.reportedAt)).size > 1) return [];
  return [
    found(
      `${what} is called up, and has not reported for the ${lengthOf(looks)} s that it was watched: last at ${one.reportedAt} UTC.`,
      one,
    ),
  ];
}

const wordOf = (seen: Reporter | undefined): string =>
  seen === undefined ? 'gone' : seen.up ? 'up' : 'down';

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

const lengthOf = (looks: readonly Seen[]): number => Math.round(looks.at(-1)?.after ?? 0);

const found = (message: string, { name, host }: Reporter): Found => ({
  message,
  correction: `Look at the log of ${name} on ${host} for the message queue (AMQP, heartbeats, time-outs), and at the queue itself (rabbitmqctl list_connections, cluster_status); then restart ${name} there.`,
});
