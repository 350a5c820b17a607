import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import type { Controller } from '../../../contracts/inventory/platform.ts';
import { knockWords, readKnocks } from '../../../core/agent/knocks.ts';
import type { Knock } from '../../../core/agent/reach.ts';
import { boundsFor } from '../../../core/acceptance/bounds.ts';
import { fail } from '../../../core/errors/failure.ts';
import {
  GATEWAY_QUESTIONS,
  gatewaysOf,
  judgeGateways,
  judgeRoutes,
  routesFrom,
  type ContractBmc,
  type Judged,
  type Route,
} from '../../../core/host/routes.ts';
import type { EvidenceRef } from '../../../core/operations.ts';
import {
  AT_ONCE,
  eachTarget,
  foundOf,
  withRepeats,
  type CheckContext,
  type CheckFunction,
} from '../check.ts';
import { askController, HOST_DOMAIN, noControllers, onController } from './controllers.ts';

const CONNECT_SECONDS = 5;
/**
 * How many connections a host tries at once, in one login: several logins at once, beside those of the other checks,
 * would be more than sshd takes. What is silent is waited for once for all of them.
 */
const KNOCKS_AT_ONCE = 256;
/** Of one login with its connections; and of what the gateways are asked. */
const BATCH_SECONDS = 10 + CONNECT_SECONDS;
const GATEWAY_SECONDS = 45;
/** Connections in a piece of evidence: what is too long would be cut. */
const KEPT_TOGETHER = 2048;

/** How a command is run on a controller. */
type Run = typeof onController;

/** Lets each controller open connections to what it has to reach, and asks the gateways of its networks. */
export const routesBy = (run: Run): CheckFunction => ({
  skip: noControllers,
  bounds: (inventory, least) => {
    const seconds = inventory.controllers.map((controller) => {
      const batches = Math.ceil(wantedFrom(inventory, controller).length / KNOCKS_AT_ONCE);
      return withRepeats(batches * BATCH_SECONDS + GATEWAY_SECONDS);
    });
    return boundsFor(least, seconds, AT_ONCE);
  },
  run: (context) =>
    eachTarget(context, 'management-network', context.inventory.controllers, async (controller) => {
      const tried = await tryRoutes(context, controller, run);
      const asked = await askGateways(context, controller);
      const wrong = [...tried.wrong, ...asked.wrong];
      if (wrong.length === 0) throwUntold([...tried.silent, ...asked.silent], tried.nameless);
      const found = foundOf(wrong, 'reaches all that it has to');
      return { found, evidence: [...tried.evidence, ...asked.evidence] };
    }),
});

export const routes = routesBy(onController);

/** Throws where nothing is wrong for certain, and something could not be told. */
function throwUntold(silent: readonly string[], nameless: readonly string[]): void {
  const some = (all: readonly string[]): string =>
    `${all.slice(0, 8).join(', ')}${all.length > 8 ? `, and ${all.length - 8} more` : ''}`;
  const unheard = silent.length === 0 ? '' : ` It gets no answer from ${some(silent)}.`;
  const details = { silent: silent.slice(0, 50), nameless: nameless.slice(0, 50) };
  if (nameless.length > 0) {
    throw fail('HOST_NAME_UNRESOLVED', `It finds no address for the name of ${some(nameless)}.${unheard}`, {
      details,
    });
  }
  if (unheard !== '') throw fail('HOST_ROUTE_SILENT', unheard.trim(), { details });
}

/** The BMCs of nodes and controllers. */
const bmcsOf = ({ nodes, controllers }: Inventory): ContractBmc[] =>
  [...nodes, ...controllers].flatMap(({ name, bmc }) =>
    bmc === undefined ? [] : [{ of: name, address: bmc.address }],
  );

type Tried = Judged & { readonly evidence: readonly EvidenceRef[] };
const NOTHING: Tried = { wrong: [], silent: [], nameless: [], evidence: [] };

const wantedFrom = (inventory: Inventory, controller: Controller): Route[] =>
  routesFrom(controller, inventory.controllers, bmcsOf(inventory));

async function tryRoutes(context: CheckContext, controller: Controller, run: Run): Promise<Tried> {
  const wanted = wantedFrom(context.inventory, controller);
  const knocks: Knock[] = [];
  for (let at = 0; at < wanted.length; at += KNOCKS_AT_ONCE) {
    knocks.push(...(await knockFrom(context, controller, wanted.slice(at, at + KNOCKS_AT_ONCE), run)));
  }
  const evidence: EvidenceRef[] = [];
  for (let at = 0; at < knocks.length; at += KEPT_TOGETHER) {
    const piece = at === 0 ? '' : `-${at / KEPT_TOGETHER + 1}`;
    evidence.push(
      await context.evidence(`${controller.name}-connections${piece}`, {
        asked: `connections from controller ${controller.name}, ${CONNECT_SECONDS} s each`,
        answer: { tried: knocks.slice(at, at + KEPT_TOGETHER).map((each) => ({ ...each })) },
      }),
    );
  }
  return { ...judgeRoutes(wanted, knocks), evidence };
}

async function knockFrom(
  context: CheckContext,
  controller: Controller,
  batch: readonly Route[],
  run: Run,
): Promise<readonly Knock[]> {
  const ran = await run(context, controller, knockWords(batch, CONNECT_SECONDS));
  const knocked = readKnocks(ran, batch);
  if (!('unusable' in knocked)) return knocked.knocks;
  throw fail(
    'VANTAGE_UNUSABLE',
    `No connections can be tried from controller ${controller.name}: ${knocked.unusable}.`,
    {
      faultDomain: HOST_DOMAIN,
    },
  );
}

async function askGateways(context: CheckContext, controller: Controller): Promise<Tried> {
  const gateways = gatewaysOf(controller, context.inventory.networks);
  if (gateways.length === 0) return NOTHING;
  const args = [...new Set(gateways.map(({ gateway }) => gateway))];
  const { answers, evidence } = await askController(context, controller, GATEWAY_QUESTIONS, args);
  return { ...judgeGateways(gateways, answers), evidence: [evidence] };
}
