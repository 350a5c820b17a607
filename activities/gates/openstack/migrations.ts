import type { OpenStack } from '../../../contracts/inventory/openstack.ts';
import { boundsFor } from '../../../core/acceptance/bounds.ts';
import { fail } from '../../../core/errors/failure.ts';
import { defaultCommand, statusCommandOf, withoutLogin } from '../../../core/openstack/status-commands.ts';
import { finalWords } from '../../../core/whole-words.ts';
import { execInPod } from '../../kubernetes/exec.ts';
import { nameOf } from '../../openstack/errors.ts';
import { runAt } from '../../vantage/runners.ts';
import { eachTarget, withRepeats, type CheckContext, type CheckFunction } from '../check.ts';
import { readyPod } from '../kubernetes/ready-pod.ts';
import { kubernetesOf } from '../kubernetes/session.ts';
import { withoutOpenStack } from './session.ts';

type Command = NonNullable<OpenStack['commands']>[number];

/** Of one command: the programs load all of a service before they look. */
const COMMAND_SECONDS = 50;
const AT_ONCE = 4;
const MOST_KEPT = 8000;

/** Each service says itself that its database is as its programs need it. */
export const migrations: CheckFunction = {
  skip: (inventory) =>
    withoutOpenStack(inventory) ??
    ((inventory.openstack?.commands ?? []).length > 0
      ? undefined
      : 'the contract names no status commands (`openstack.commands`), and no API tells the state of a database'),
  bounds: ({ openstack }, least) => {
    const each = (openstack?.commands ?? []).map(() => withRepeats(COMMAND_SECONDS + 10));
    return boundsFor(least, each, AT_ONCE);
  },
  run: (context) => {
    const commands = context.inventory.openstack?.commands ?? [];
    const targets = commands.map((command, at) => ({ name: namesOf(commands, at), command }));
    return eachTarget(
      context,
      'openstack',
      targets,
      async ({ name, command }) => {
        const words = command.command ?? defaultCommand(command.service);
        const ended = await run(context, command, words);
        const [stdout, stderr] = [withoutLogin(ended.stdout), withoutLogin(ended.stderr)];
        const evidence = await context.evidence(name, {
          asked: `${words.join(' ')}, ${placeOf(command)}`,
          answer: {
            exitCode: ended.exitCode,
            stdout: finalWords(stdout, MOST_KEPT),
            stderr: finalWords(stderr, MOST_KEPT),
          },
        });
        const shown = statusCommandOf(command.service, words)!.judge({ ...ended, stdout, stderr });
        if ('untold' in shown)
          throw fail(
            'OPENSTACK_COMMAND_FAILED',
            `${nameOf(command.service)} does not tell the state of its database ${placeOf(command)}: ${shown.untold}.`,
          );
        const found =
          'right' in shown
            ? { right: shown.right }
            : {
                wrong: [
                  {
                    message: `${nameOf(command.service)}, asked ${placeOf(command)}: ${shown.wrong}.`,
                    correction: shown.correction,
                  },
                ],
              };
        return { found, evidence: [evidence] };
      },
      { atOnce: AT_ONCE },
    );
  },
};

/** A service may be asked more than once. */
function namesOf(commands: readonly Command[], at: number): string {
  const name = nameOf(commands[at]!.service);
  const before = commands.slice(0, at).filter(({ service }) => service === commands[at]!.service).length;
  return before === 0 ? name : `${name}-${before + 1}`;
}

const placeOf = ({ from }: Command): string =>
  typeof from === 'string' ? `at vantage point ${from}` : `in a pod ${from.labels} of ${from.namespace}`;

async function run(
  context: CheckContext,
  { from }: Command,
  words: readonly string[],
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  if (typeof from === 'string')
    return runAt(context, from, words, { wholeMs: COMMAND_SECONDS * 1000, maxBytes: 256 * 1024 });
  if (context.inventory.kubernetes === undefined)
    throw fail('CONTRACT_INVALID', '`openstack.commands` names a pod, and the contract has no `kubernetes`.');
  const kubernetes = await kubernetesOf(context);
  const { namespace, labels, container } = from;
  const correction = 'Start that pod, or correct `openstack.commands`.';
  const pod = await readyPod(kubernetes, { namespace, labels }, 'The service', correction);
  return execInPod(
    kubernetes,
    { namespace, pod, container, command: words, timeoutMs: COMMAND_SECONDS * 1000 },
    context.signal,
  );
}
