import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import { fail } from '../../../core/errors/failure.ts';
import { driverProblems, wantedDrivers, type WantedDriver } from '../../../core/ironic/drivers.ts';
import { readDriver } from '../../../core/ironic/service.ts';
import { eachTarget, foundOf, type CheckFunction } from '../check.ts';
import { withBareMetal, withoutIronic } from './session.ts';

/** The hardware types of the contract, and of its nodes that Ironic carries. */
const wantedOf = ({ openstack, nodes }: Inventory): WantedDriver[] =>
  wantedDrivers([
    ...(openstack?.bareMetal?.drivers ?? []),
    ...nodes.flatMap(({ driver, ironic, retired }) =>
      driver === 'ironic' && ironic !== undefined && !retired
        ? [{ name: ironic.driver, interfaces: ironic.interfaces }]
        : [],
    ),
  ]);

/** Each hardware type has the interfaces enabled that the hardware needs. */
export const ironicDrivers: CheckFunction = {
  skip: (inventory) =>
    withoutIronic(inventory) ??
    (wantedOf(inventory).length === 0
      ? 'the contract names no hardware type (`openstack.bareMetal.drivers`), and no node of Ironic'
      : undefined),
  run: (context) =>
    withBareMetal(context, async ({ ironic }) => {
      const path = '/v1/drivers?detail=true';
      const drivers = (await ironic.list(path, 'drivers')).map(readDriver);
      // Ironic tells the hardware types of conductors that are alive, and no others.
      if (drivers.length === 0) {
        throw fail(
          'IRONIC_UNAVAILABLE',
          'Ironic tells no hardware type: no conductor is alive that could have one.',
        );
      }
      return eachTarget(context, 'ironic', wantedOf(context.inventory), async (wanted) => {
        const driver = drivers.find(({ name }) => name === wanted.name);
        const evidence = await context.evidence(wanted.name, {
          asked: `GET ${path} of ${ironic.where}`,
          answer: {
            wanted: Object.fromEntries(
              Object.entries(wanted.interfaces).map(([kind, all]) => [kind, [...all]]),
            ),
            hosts: [...(driver?.hosts ?? [])],
            enabled: Object.fromEntries(
              Object.entries(driver?.enabled ?? {}).map(([kind, all]) => [kind, [...all]]),
            ),
          },
        });
        const { wrong, untold } = driverProblems(wanted, drivers);
        if (wrong.length === 0 && untold.length > 0) {
          throw fail(
            'IRONIC_VERSION_UNSUPPORTED',
            `Ironic is asked in a version that does not tell which ${untold.join(' and ')} interfaces of ${wanted.name} are enabled.`,
          );
        }
        return { found: foundOf(wrong, 'all that is needed is enabled'), evidence: [evidence] };
      });
    }),
};
