import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GATE_CHECKS } from '../../../activities/gates/index.ts';
import { secretsOf, contractWith } from '../../activities/gates/kubernetes/support.ts';
import { AcceptanceRuns } from '../../../client/sdk/acceptance.ts';
import type { AcceptanceReport } from '../../../core/acceptance/report.ts';
import { acceptanceWorkflowId } from '../../../core/names.ts';
import { until, type Json } from '../../peers/openstack/api.ts';
import type { OpenStackPeer } from '../../peers/openstack/peer.ts';
import { createLocalEnvironment } from '../../support/temporal.ts';
import { House, SITE } from '../../workflows/support.ts';

const PASSED = [
  'openstack-endpoints',
  'image-round-trip',
  'ironic-api',
  'ironic-conductors',
  'ironic-drivers',
];

/** All seven gates on the cloud when there is nothing in it, with a contract that names nothing of it. Last: it empties it. */
export function emptyCloud(cloud: () => OpenStackPeer): void {
  describe('with nothing in it', () => {
    let house: House;
    beforeAll(async () => {
      const { admin, system } = cloud();
      const { nodes } = await system.call('GET', 'ironic', '/v1/nodes');
      for (const { uuid } of nodes) await system.call('DELETE', 'ironic', `/v1/nodes/${uuid}`);
      const { images } = await admin.call('GET', 'glance', '/v2/images');
      for (const { id } of images) await admin.call('DELETE', 'glance', `/v2/images/${id}`);
      await until('an empty cloud', async () => {
        const left: Json[] = await Promise.all([
          system.call('GET', 'ironic', '/v1/nodes'),
          admin.call('GET', 'glance', '/v2/images'),
        ]);
        return left[0].nodes.length === 0 && left[1].images.length === 0;
      });
      house = await House.build(await createLocalEnvironment());
      await house.stopWorkers('activities');
      house.checks = GATE_CHECKS;
      house.site.secret = secretsOf(house.site);
      const { username, password, project } = cloud().accounts.admin;
      const file = join(cloud().folder, 'admin-password');
      writeFileSync(file, password, { mode: 0o600 });
      house.inventory = contractWith({
        openstack: {
          authUrl: cloud().authUrl,
          region: cloud().region,
          services: ['identity', 'image', 'baremetal'],
          credentials: { username, password: `file:${file}`, project, systemScope: 'all' },
          bareMetal: { drivers: [{ name: 'fake-hardware', interfaces: { boot: 'fake' } }] },
        },
      });
      await house.startActivities();
    });
    afterAll(async () => {
      await house?.close();
      await house?.environment.teardown();
    });

    it('passes each gate that needs none of it, and says why it skips the rest', async () => {
      const runs = new AcceptanceRuns(house.environment.client, SITE);
      const { runId } = await runs.start({ gates: [1, 2, 3, 4, 5, 6, 7], onFailure: 'fail' });
      const handle = house.client.getHandle(acceptanceWorkflowId(SITE, runId));
      const { outcome, gates } = (await handle.result()) as AcceptanceReport;
      const told = gates.flatMap(({ checks }) => checks);
      expect(told.map(({ id, outcome: of, summary }) => [id, of, summary])).toEqual(
        GATE_CHECKS.map(({ check: { id } }) => [
          id,
          PASSED.includes(id) ? 'pass' : 'skipped',
          expect.stringMatching(/./),
        ]),
      );
      expect(gates.map((gate) => gate.outcome).join(' ')).toBe(
        'skipped skipped pass pass skipped skipped skipped',
      );
      expect(outcome).toBe('pass');
    });
  });
}
