import { fail, notYet, RackwrightError } from '../../../../core/errors/failure.ts';
import type { Inventory } from '../../../../contracts/inventory/inventory.ts';
import { field, text } from '../../../../core/openstack/read.ts';
import type { OpenStack } from '../../../openstack/client.ts';
import type { CheckFunction, Wrong } from '../../check.ts';
import { noServer, result, wrong } from '../server.ts';
import { ofPlan } from './plan.ts';
import { standingOf } from './standing.ts';

const ASK_MS = 10_000;
const PROTOCOLS = { novnc: 'vnc', serial: 'serial', 'spice-html5': 'spice' } as const;

const notEnabled = (inventory: Inventory): string | undefined =>
  noServer(inventory) ??
  (inventory.acceptance?.cloud?.console === undefined
    ? 'not enabled: the contract has no `acceptance.cloud.console`'
    : undefined);

/** A console of the server is given, and its proxy answers. Its URL lets one in: it is kept nowhere. */
const shown = ofPlan(async (cloud, plan, context) => {
  const type = plan.console!;
  const { server } = await standingOf(cloud, plan, context);
  const { name } = plan.node;
  if (server?.status !== 'ACTIVE') throw notYet('CHECK_TIMEOUT', 'The server is not active.', ASK_MS);
  let url: string;
  try {
    const answer = await cloud.json('compute', `/v2.1/servers/${server.id}/remote-consoles`, {
      method: 'POST',
      body: { remote_console: { protocol: PROTOCOLS[type], type } },
    });
    url = text(field(field(answer, 'remote_console'), 'url'));
  } catch (error) {
    if (!(error instanceof RackwrightError)) throw error;
    const { status, said } = error.failure.details ?? {};
    if (status !== 400 && status !== 404 && status !== 409 && status !== 501) throw error;
    const refused: Wrong = {
      message: `Nova gives no console ${type} of server ${server.id}: ${String(said)}`,
      correction: `Enable it in nova-compute and in Ironic (openstack baremetal node console enable ${name}), or leave \`acceptance.cloud.console\` out.`,
    };
    return wrong(name, [refused], 'console');
  }
  if (!URL.canParse(url)) throw fail('OPENSTACK_ANSWER_INVALID', 'Nova gives a console without a URL.');
  context.site.secrets.add(url);
  const { origin, search } = new URL(url);
  if (search !== '') context.site.secrets.add(search.slice(1));
  const status = await statusOf(cloud, url);
  const evidence = await context.evidence(name, {
    asked: `a console ${type} of server ${server.id}, and what its proxy answers`,
    answer: { proxy: origin, status },
  });
  if (typeof status === 'number' && status >= 500) {
    throw fail(
      'OPENSTACK_UNAVAILABLE',
      `What answers for the proxy of consoles at ${origin} cannot: HTTP ${status}.`,
    );
  }
  // What serves no page, but a socket alone, refuses what does not ask for one.
  const answers = status === 200 || (type === 'serial' && typeof status === 'number');
  if (answers) {
    return result('pass', `a console ${type} is given, and ${origin} answers`, { evidence: [evidence] });
  }
  const found: Wrong = {
    message: `The proxy of consoles at ${origin} answers with ${status}.`,
    correction: 'Look whether the console proxy runs there, and takes the tokens of this Nova.',
  };
  return wrong(name, [found], 'console', [evidence]);
});

/** What the proxy answers with; that nothing listens there is an answer, too. */
async function statusOf(cloud: OpenStack, url: string): Promise<number | string> {
  try {
    return await cloud.statusOf('compute', url.replace(/^ws/, 'http'));
  } catch (error) {
    const refused = error instanceof RackwrightError && error.failure.details?.['reason'] === 'ECONNREFUSED';
    if (!refused) throw error;
    return 'nothing: it refuses the connection';
  }
}

export const consoleShown: CheckFunction = { ...shown, skip: notEnabled };
