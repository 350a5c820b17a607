import { readFile } from 'node:fs/promises';
import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import type { FaultDomain } from '../../../core/fault-domains.ts';
import { SERVICE_TYPES, type ServiceType } from '../../../core/openstack/catalog.ts';
import { openKubernetes } from '../../kubernetes/open.ts';
import { cloudCa } from '../../openstack/ca.ts';
import { nameOf } from '../../openstack/errors.ts';
import type { CheckContext, CheckFunction } from '../check.ts';
import { withOpenStack } from '../openstack/session.ts';
import { boundsOf, noPlace, reachabilityOf, tryFrom, type Wanted } from './tries.ts';

const WAY: FaultDomain = 'user-access';
/** What a user of a cloud asks by himself. */
const USERS: readonly ServiceType[] = ['identity', 'compute', 'network', 'image'];
/** As many as a contract may name, and those of the catalogue. */
const MANY = 72;

const named = (urls: readonly string[] = [], owner: FaultDomain, what: string): Wanted[] =>
  urls.map((url) => ({ probe: { url }, what, owner, way: WAY }));

/** Keystone, and the endpoints of the catalogue that are asked by whoever it is. */
async function cloudOf(context: CheckContext, services: readonly ServiceType[]): Promise<Wanted[]> {
  const { authUrl } = context.inventory.openstack ?? {};
  if (authUrl === undefined) return [];
  const ca = await cloudCa(context.inventory);
  const of = (url: string, what: string): Wanted => ({
    probe: { url },
    what,
    owner: 'openstack',
    way: WAY,
    ...(ca === undefined ? {} : { ca }),
  });
  return withOpenStack(context, async (cloud) => {
    const endpoints: Wanted[] = [];
    for (const service of services) {
      const { url } = await cloud.endpoint(service);
      endpoints.push(of(url, `the endpoint of ${nameOf(service)}`));
    }
    return [of(authUrl, 'Keystone'), ...endpoints];
  });
}

async function kubernetesApi(context: CheckContext): Promise<Wanted[]> {
  if (context.inventory.kubernetes === undefined) return [];
  const { config, server } = await openKubernetes(context);
  const { caData, caFile, skipTLSVerify, tlsServerName } = config.getCurrentCluster() ?? {};
  const ca =
    caData === undefined
      ? caFile === undefined
        ? undefined
        : await readFile(caFile, 'utf8')
      : Buffer.from(caData, 'base64').toString('utf8');
  // Under another name than that of the address, only who speaks by the kubeconfig can look at it.
  const insecure = skipTLSVerify === true || tlsServerName !== undefined;
  return [
    {
      probe: { url: `${server.replace(/\/+$/, '')}/version`, ...(insecure ? { insecure } : {}) },
      what: 'the Kubernetes API',
      owner: 'kubernetes',
      way: WAY,
      ...(ca === undefined ? {} : { ca }),
    },
  ];
}

const servicesOf = ({ openstack }: Inventory): readonly ServiceType[] => openstack?.services ?? SERVICE_TYPES;

export const operatorToApi: CheckFunction = {
  skip(inventory) {
    const { operator } = reachabilityOf(inventory);
    const { kubernetes, openstack } = inventory;
    const none = kubernetes === undefined && openstack === undefined && operator?.api === undefined;
    if (none) return 'the contract has no API that operators ask';
    return operator === undefined ? noPlace('the operator', 'operator') : undefined;
  },
  bounds: (_inventory, least) => boundsOf(least, [MANY]),
  async run(context) {
    const { inventory } = context;
    const { from, api } = reachabilityOf(inventory).operator!;
    const ironic = inventory.openstack?.ironic?.url;
    const wanted = [
      ...(await kubernetesApi(context)),
      ...(await cloudOf(context, servicesOf(inventory))),
      ...named(ironic === undefined ? [] : [ironic], 'ironic', "Ironic's API"),
      ...named(api, 'orchestrator', 'an API'),
    ];
    return tryFrom(context, WAY, [{ from, wanted }]);
  },
};

export const operatorToConsole: CheckFunction = {
  skip(inventory) {
    const { operator } = reachabilityOf(inventory);
    if (operator === undefined) return noPlace('the operator', 'operator');
    return operator.console === undefined
      ? 'the contract names no console (`acceptance.reachability.operator.console`)'
      : undefined;
  },
  bounds: (inventory, least) => boundsOf(least, [reachabilityOf(inventory).operator?.console?.length ?? 0]),
  run(context) {
    const { from, console: urls } = reachabilityOf(context.inventory).operator!;
    return tryFrom(context, WAY, [{ from, wanted: named(urls, 'console', 'a console') }]);
  },
};

export const userToApi: CheckFunction = {
  skip(inventory) {
    const { user } = reachabilityOf(inventory);
    if (inventory.openstack?.authUrl === undefined && user?.api === undefined)
      return 'the contract has no API that users ask';
    return user === undefined ? noPlace('the user', 'user') : undefined;
  },
  bounds: (_inventory, least) => boundsOf(least, [MANY]),
  async run(context) {
    const { inventory } = context;
    const { from, api } = reachabilityOf(inventory).user!;
    const { openstack } = inventory;
    // Users come by the public endpoints, whichever the operators of the contract ask.
    const theirs: CheckContext =
      openstack === undefined
        ? context
        : { ...context, inventory: { ...inventory, openstack: { ...openstack, interface: 'public' } } };
    const services = servicesOf(inventory).filter((each) => USERS.includes(each));
    const wanted = [...(await cloudOf(theirs, services)), ...named(api, 'openstack', 'an API')];
    return tryFrom(context, WAY, [{ from, wanted }]);
  },
};
