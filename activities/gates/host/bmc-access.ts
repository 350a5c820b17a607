import { controllerBmc, effectiveNodes, type EffectiveBmc } from '../../../contracts/inventory/effective.ts';
import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import { boundsFor } from '../../../core/acceptance/bounds.ts';
import { RackwrightError, type Failure } from '../../../core/errors/failure.ts';
import type { JsonObject } from '../../../core/json.ts';
import { asText } from '../../../core/redfish/read.ts';
import { endpointOf } from '../../drivers/redfish/bmc.ts';
import { findSystem } from '../../redfish/service.ts';
import type { BmcEndpoint } from '../../redfish/endpoint.ts';
import { withBmc } from '../../redfish/transport.ts';
import { eachTarget, withRepeats, type CheckFunction } from '../check.ts';

/** How many BMCs are logged in to at once: each has only the one. */
const AT_ONCE = 64;

/** What a BMC, or the way to it, has said for certain. Anything else leaves it open. */
const CERTAIN: readonly string[] = [
  'BMC_ADDRESS_INVALID',
  'BMC_TLS_UNTRUSTED',
  'BMC_TLS_FINGERPRINT',
  'BMC_AUTH_FAILED',
  'BMC_PASSWORD_CHANGE_REQUIRED',
  'BMC_NO_SYSTEM',
  'BMC_AMBIGUOUS_SYSTEM',
  'CONTRACT_INVALID',
];
/** Somebody has answered that there is nothing, or there is no way. A time-out is not among them. */
const NOBODY_THERE: readonly unknown[] = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND'];

const isCertain = ({ code, details }: Failure): boolean =>
  CERTAIN.includes(code) || (code === 'BMC_UNREACHABLE' && NOBODY_THERE.includes(details?.['reason']));

interface Target {
  readonly name: string;
  readonly bmc: EffectiveBmc;
}

const targetsOf = (inventory: Inventory): Target[] => [
  ...inventory.controllers.flatMap((controller): Target[] => {
    const bmc = controllerBmc(inventory, controller);
    return bmc === undefined ? [] : [{ name: `controller ${controller.name}`, bmc }];
  }),
  ...effectiveNodes(inventory).flatMap(({ name, bmc }): Target[] =>
    bmc === undefined ? [] : [{ name, bmc }],
  ),
];

/** Logs in to one BMC and finds the system that is meant. Throws BMC_* errors. */
type Login = (endpoint: BmcEndpoint, system: string | undefined, signal: AbortSignal) => Promise<JsonObject>;

const loginTo: Login = (endpoint, system, signal) =>
  withBmc(
    endpoint,
    async (bmc) => {
      const { uri, body } = await findSystem(bmc, system);
      return { system: uri, manufacturer: asText(body['Manufacturer']), model: asText(body['Model']) };
    },
    { signal, anew: true },
  );

/** Logs in to the BMC of each controller and node under the policy of the contract, and finds the one system that is meant. */
export const bmcAccessBy = (login: Login): CheckFunction => ({
  skip: (inventory) =>
    targetsOf(inventory).length > 0 ? undefined : 'the contract has no controller and no node with a BMC',

  // One that is silent is so at its first request.
  bounds: (inventory, least) =>
    boundsFor(
      least,
      targetsOf(inventory).map(({ bmc }) => withRepeats(bmc.timeouts.request)),
      AT_ONCE,
    ),

  run: (context) => {
    const { inventory, secret, signal } = context;
    return eachTarget(
      context,
      'management-network',
      targetsOf(inventory),
      async (target) => {
        const { name } = target;
        try {
          const endpoint = await endpointOf({ node: target, secret });
          const answer = await login(endpoint, target.bmc.system, signal);
          const evidence = await context.evidence(name, {
            asked: `session and system of ${endpoint.address}, certificate policy ${policyOf(endpoint.tls)}`,
            answer,
          });
          return { found: { right: 'reached and logged in to' }, evidence: [evidence] };
        } catch (error) {
          if (error instanceof RackwrightError && isCertain(error.failure))
            return { found: { wrong: [error.failure] } };
          throw error;
        }
      },
      { atOnce: AT_ONCE },
    );
  },
});

export const bmcAccess = bmcAccessBy(loginTo);

const policyOf = (tls: object | string): string => (typeof tls === 'string' ? tls : Object.keys(tls).join());
