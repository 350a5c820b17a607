import { expect, it } from 'vitest';
import { findSystem } from '../../../../activities/redfish/service.ts';
import type { RedfishIdentity } from '../../../../core/redfish/quirks.ts';
import { served } from './inspecting.ts';
import { capture, describeCaptures } from './payloads.ts';

const DELL = '/redfish/v1/Managers/iDRAC.Embedded.1';

type Row = readonly [
  tree: string,
  auth: 'session' | 'basic',
  identity: RedfishIdentity,
  reports: readonly string[],
  managers: readonly string[],
];

/** What each service shows of its maker, which quirks that stands for, and which managers were read for it. */
const ROWS: readonly Row[] = [
  [
    'dell-idrac10',
    'session',
    { vendor: 'Dell', product: 'PowerEdge R660', manager: '17G Monolithic', firmware: '1.20.50.52' },
    ['boot-17'],
    [DELL],
  ],
  // Its manager was not captured: what cannot be read is no quirk, and no failure.
  [
    'dell-idrac9-r6515',
    'session',
    { vendor: 'Dell', product: 'PowerEdge R6515', manager: null, firmware: null },
    [],
    [DELL],
  ],
  [
    'supermicro-x10',
    'basic',
    { vendor: 'Supermicro', product: 'Super Server', manager: null, firmware: null },
    [],
    [],
  ],
];

describeCaptures('who made a captured BMC', () => {
  it.each(ROWS)('%s', async (tree, auth, identity, reports, managers) => {
    const { server, bmc } = await served(capture(tree), '404', auth);
    const found = await findSystem(bmc);
    expect([found.identity, found.reports]).toEqual([identity, reports]);
    const read = (): string[] => server.reads.filter((path) => path.includes('/Managers/'));
    expect(read()).toEqual(managers);
    // A second step of the operation does not ask the manager again.
    await findSystem(bmc);
    if (identity.manager !== null) expect(read()).toEqual(managers);
  });
});
