import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePorts } from '../../../client/up/ports.ts';
import { outcomesOf } from '../../activities/gates/physical/support.ts';
import { until, type Json } from '../../peers/openstack/api.ts';
import { IMAGE, NETWORK } from '../../peers/openstack/content.ts';
import { imageRenamed, serviceDown, type Mend } from '../../peers/openstack/faults.ts';
import type { OpenStackPeer } from '../../peers/openstack/peer.ts';
import { shownFailing } from '../../support/shown.ts';
import { PhysicalBench, said, TIMEOUTS } from './physical-bench.ts';

const PASS = {
  'node-available': 'pass',
  'server-requested': 'pass',
  'agent-called-back': 'skipped',
  'image-written': 'skipped',
  'first-boot': 'pass',
  'guest-reached': 'pass',
  'server-active': 'pass',
  console: 'skipped',
  'states-captured': 'pass',
  'server-released': 'pass',
};
const NOTHING = {
  'agent-called-back': 'not made',
  'image-written': 'not made',
  'first-boot': 'not made',
  'guest-reached': 'not made',
  'server-active': 'not made',
};

/** Gate 7 by Nova with its Ironic driver. */
export function physicalAcceptance(cloud: () => OpenStackPeer): void {
  describe('gate 7', () => {
    const shown = shownFailing('OpenStack 2026.1', [
      'node-available',
      'server-requested',
      'guest-reached',
      'server-active',
      'server-released',
    ]);
    let bench: PhysicalBench;

    beforeAll(async () => {
      bench = new PhysicalBench(cloud());
      await bench.open();
    });
    afterAll(() => bench.close());

    /** The node is as free as before, and nobody else has lost anything. */
    const asBefore = async (): Promise<void> => {
      const now = await bench.ironic(`/v1/nodes/${bench.node}`);
      expect(now).toMatchObject({ provision_state: 'available', instance_uuid: null, maintenance: false });
      const { servers } = await bench.nova('GET', '/servers');
      expect(servers.map(({ id }: Json) => id)).toEqual([bench.theirs]);
    };

    const passes = async (): Promise<void> => {
      const results = await bench.gate();
      expect(outcomesOf(results), JSON.stringify(results)).toEqual(PASS);
    };

    it('passes, and the node is as free as before', async () => {
      await passes();
      await asBefore();
    });

    it('fails where somebody else has the node, and does not touch their server', async () => {
      const { theirs } = bench;
      const { nodes } = await bench.ironic('/v1/nodes?detail=true');
      const taken = nodes.find(({ instance_uuid }: Json) => instance_uuid === theirs).name;
      const results = await bench.gate(await bench.contract({}, taken));
      expect(said(results, 'node-available')).toContain(`instance ${theirs} has it`);
      expect(outcomesOf(results)).toMatchObject({ ...NOTHING, 'server-released': 'skipped' });
      expect(await bench.ironic(`/v1/nodes/${taken}`)).toMatchObject({
        provision_state: 'active',
        instance_uuid: theirs,
      });
      shown('node-available');
    });

    it('fails where nothing listens in the guest', async () => {
      const [other] = await freePorts(1);
      const results = await bench.gate(
        await bench.contract({ cloud: { image: IMAGE, network: NETWORK, ports: [other] } }),
      );
      expect(said(results, 'guest-reached')).toContain('refused');
      expect(outcomesOf(results)).toEqual({ ...PASS, 'guest-reached': 'fail' });
      shown('guest-reached');
    });

    interface Case {
      readonly what: string;
      readonly fault: () => Promise<Mend>;
      readonly message: RegExp;
      readonly released: string;
    }
    /** The project may have as many servers as it has. */
    const quotaUsed = async (): Promise<Mend> => {
      const { admin } = cloud();
      const name = cloud().accounts.admin.project;
      const { projects } = await admin.call('GET', 'keystone', `/projects?name=${name}`);
      const path = `/os-quota-sets/${projects[0].id}`;
      const { servers } = await bench.nova('GET', '/servers');
      await admin.call('PUT', 'nova', path, { quota_set: { instances: servers.length } });
      return async () => void (await bench.nova('DELETE', path));
    };
    it.each<Case>([
      {
        what: 'the quota is used up',
        fault: quotaUsed,
        message: /quota of project .* is used up/,
        released: 'skipped',
      },
      {
        what: 'the image is gone',
        fault: () => imageRenamed(cloud(), IMAGE),
        message: /Glance has no active image/,
        released: 'skipped',
      },
      {
        what: 'the nova-compute of Ironic is down',
        fault: async () => {
          await bench.offered();
          return serviceDown(cloud(), 'nova-compute-ironic');
        },
        message: /No valid host was found.*nova-compute on .* is down/,
        released: 'pass',
      },
    ])('fails where $what; mended, it passes', async ({ fault, message, released }) => {
      const mend = await fault();
      try {
        const results = await bench.gate();
        expect(said(results, 'server-requested')).toMatch(message);
        expect(outcomesOf(results)).toEqual({
          ...PASS,
          ...NOTHING,
          'server-requested': 'fail',
          'server-released': released,
        });
        shown('server-requested');
      } finally {
        await mend();
      }
      await passes();
    });

    it('fails where the nova-compute of Ironic dies while it builds the server; up again, it passes', async () => {
      const { node } = bench;
      const died = async (id: string): Promise<void> => {
        if (id !== 'server-active') return;
        await until('the deployment', async () => {
          const { provision_state: state } = await bench.ironic(`/v1/nodes/${node}`);
          return state === 'deploying';
        });
        const mend = await serviceDown(cloud(), 'nova-compute-ironic');
        await mend();
      };
      // Long enough to be seen; what Nova gives up, Ironic deploys all the same.
      await cloud().deploymentsTake(20);
      try {
        const results = await bench.gate(undefined, died);
        expect(outcomesOf(results), JSON.stringify(results)).toEqual({
          ...PASS,
          'first-boot': 'error',
          'guest-reached': 'error',
          'server-active': 'fail',
        });
        expect(said(results, 'server-active')).toMatch(/Nova puts server .* into ERROR: no reason is told/);
        const { faultDomain, correction } = results['server-active']!.findings[0]!.failure;
        expect(faultDomain).toBe('openstack');
        expect(correction).toContain('nova-compute was started again while it was built');
        shown('server-active');
      } finally {
        await cloud().deploymentsTake(0);
      }
      await asBefore();
      await passes();
    });

    it('fails where the server is deleted while the nova-compute of Ironic is down; undeployed, it passes', async () => {
      const { node } = bench;
      const timeouts = { ...TIMEOUTS, deadlines: { ...TIMEOUTS.deadlines, release: '30s' } };
      let mend: Mend | undefined;
      const down = async (id: string): Promise<void> => {
        if (id === 'server-released') mend = await serviceDown(cloud(), 'nova-compute-ironic');
      };
      try {
        const results = await bench.gate(await bench.contract({ timeouts }), down);
        expect(outcomesOf(results), JSON.stringify(results)).toEqual({ ...PASS, 'server-released': 'fail' });
        expect(said(results, 'server-released')).toMatch(
          new RegExp(`is deleted in Nova, and node ${node} still has it, and is active`),
        );
        const { faultDomain, correction } = results['server-released']!.findings[0]!.failure;
        expect(faultDomain).toBe('openstack');
        expect(correction).toContain(`openstack baremetal node undeploy ${node};`);
        shown('server-released');
        // As the correction says: a nova-compute that starts leaves a node alone whose server is deleted.
        await bench.undeploy();
      } finally {
        await mend?.();
      }
      await asBefore();
      await passes();
    });
  });
}
