import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import type { Controller } from '../../../contracts/inventory/platform.ts';
import { knockWords, readKnocks } from '../../../core/agent/knocks.ts';
import type { Knock } from '../../../core/agent/reach.ts';
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
import { eachTarget, foundOf, type CheckContext, type CheckFunction } from '../check.ts';
import { askController, HOST_DOMAIN, noControllers, onController } from './controllers.ts';

const CONNECT_SECONDS = 5;
/** How many connections a host tries at once. */
const AT_ONCE = 64;

/** Lets each controller open connections to what it has to reach, and asks the gateways of its networks. */
export const routes: CheckFunction = {
  skip: noControllers,
  run: (context) =>
    eachTarget(context, 'management-network', context.inventory.controllers, async (controller) => {
      const tried = await tryRoutes(context, controller);
      const asked = await askGateways(context, controller);
      const wrong = [...tried.wrong, ...asked.wrong];
      if (wrong.length === 0) throwUntold([...tried.silent, ...asked.silent], tried.nameless);
      const found = foundOf(wrong, 'reaches all that it has to');
      return { found, evidence: [...tried.evidence, ...asked.evidence] };
    }),
};

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

async function tryRoutes(context: CheckContext, controller: Controller): Promise<Tried> {
  const { inventory } = context;
  const wanted = routesFrom(controller, inventory.controllers, bmcsOf(inventory));
  const knocks: Knock[] = [];
  for (let at = 0; at < wanted.length; at += AT_ONCE) {
    knocks.push(...(await knockFrom(context, controller, wanted.slice(at, at + AT_ONCE))));
  }
  if (wanted.length === 0) return NOTHING;
  const evidence = await context.evidence(`${controller.name}-connections`, {
    asked: `connections from controller ${controller.name}, ${CONNECT_SECONDS} s each`,
    answer: { tried: knocks.map((each) => ({ ...each })) },
  });
  return { ...judgeRoutes(wanted, knocks), evidence: [evidence] };
}

async function knockFrom(
  context: CheckContext,
  controller: Controller,
  batch: readonly Route[],
): Promise<readonly Knock[]> {
  const ran = await onController(context, controller, knockWords(batch, CONNECT_SECONDS));
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
