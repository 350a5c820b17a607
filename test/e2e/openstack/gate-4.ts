import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveSecret } from '../../../activities/secrets/resolve.ts';
import { Inventory } from '../../../contracts/inventory/inventory.ts';
import type { CheckResult } from '../../../core/acceptance/report.ts';
import { aContext } from '../../activities/gates/images/support.ts';
import { checksNamed } from '../../activities/gates/openstack-cloud.ts';
import { imageBytesLost, serviceDown } from '../../peers/openstack/faults.ts';
import { IMAGE, IMAGE_BYTES, NODES, uploadImage } from '../../peers/openstack/content.ts';
import type { OpenStackPeer } from '../../peers/openstack/peer.ts';
import { shownFailing } from '../../support/shown.ts';
import { keepOutcomes } from '../../support/verdicts.ts';

const CHECKS = checksNamed(
  'ironic-api',
  'ironic-conductors',
  'ironic-drivers',
  'deploy-images',
  'boot-images-published',
  'node-validate',
  'node-conductor',
  'console-proxy',
  'glance-images',
);
const [NODE] = NODES;
const RAMDISK = Buffer.from('a deploy ramdisk\n'.repeat(1000));
const sha256 = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

let peer: OpenStackPeer;
let ramdisk: string;
/** With JSON-RPC on a port of its own, a conductor has that in its name. */
let conductor: string;
let openstack: Record<string, unknown>;

let shown: (check: string) => void;

const contract = (bareMetal: object = {}): Inventory =>
  Inventory.parse({
    site: 'test',
    openstack: {
      ...openstack,
      bareMetal: {
        nodes: [NODE],
        conductors: [conductor],
        drivers: [{ name: 'fake-hardware', interfaces: { boot: 'fake', network: 'noop' } }],
        deployImages: [{ glance: 'deploy-ramdisk', checksum: sha256(RAMDISK) }],
        publishers: [`${peer.endpoint('glance')}/`],
        consoles: { plainUser: { username: 'member', password: 'env:PEER_MEMBER', project: 'acceptance' } },
        ...bareMetal,
      },
    },
    images: [
      {
        name: 'acceptance',
        url: 'https://images.example/a.raw',
        checksum: sha256(IMAGE_BYTES),
        format: 'raw',
        size: IMAGE_BYTES.length,
        glance: IMAGE,
      },
    ],
  });

async function make(id: string, inventory: Inventory): Promise<CheckResult> {
  const { run } = CHECKS.find(({ check }) => check.id === id)!;
  const result = await run(await aContext(inventory, { secret: resolveSecret })).catch(
    ({ failure }): CheckResult => ({
      outcome: 'error',
      summary: '',
      findings: [{ target: '', failure }],
      targets: 0,
      evidence: [],
    }),
  );
  keepOutcomes([{ id, outcome: result.outcome }]);
  return result;
}

/** How each check comes out. */
async function outcomes(inventory: Inventory = contract()): Promise<Map<string, CheckResult>> {
  const results = new Map<string, CheckResult>();
  for (const { check } of CHECKS) results.set(check.id, await make(check.id, inventory));
  return results;
}
const notGreen = (results: ReadonlyMap<string, CheckResult>): string[] =>
  [...results].flatMap(([id, { outcome }]) => (outcome === 'pass' ? [] : [`${id} ${outcome}`]));

/** Exactly this check fails, and none does when it is mended. */
async function alone(
  id: string,
  message: RegExp,
  inventory?: Inventory,
  mend?: () => Promise<unknown>,
): Promise<void> {
  const results = await outcomes(inventory);
  await mend?.();
  expect(notGreen(results)).toEqual([`${id} fail`]);
  expect(results.get(id)!.findings[0]!.failure).toMatchObject({ message: expect.stringMatching(message) });
  if (mend) expect(await make(id, inventory ?? contract())).toMatchObject({ outcome: 'pass' });
  shown(id);
}

const patchNode = (op: string, path: string, value?: unknown): Promise<unknown> =>
  peer.system.call('PATCH', 'ironic', `/v1/nodes/${NODE}`, [
    { op, path, ...(value === undefined ? {} : { value }) },
  ]);

/** Keystone, Glance and Ironic, of a cloud that has no Nova and no Neutron. */
export function gate4Small(cloud: () => OpenStackPeer): void {
  describe('gate 4, and what gate 5 asks of Glance', () => {
    shown = shownFailing('OpenStack 2026.1', [
      'ironic-conductors',
      'ironic-drivers',
      'deploy-images',
      'boot-images-published',
      'node-validate',
      'node-conductor',
      'console-proxy',
      'glance-images',
    ]);

    beforeAll(async () => {
      peer = cloud();
      process.env['PEER_ADMIN'] = peer.accounts.admin.password;
      process.env['PEER_MEMBER'] = peer.accounts.member.password;
      const { username, project } = peer.accounts.admin;
      openstack = {
        authUrl: peer.authUrl,
        region: peer.region,
        services: ['identity', 'image', 'baremetal'],
        credentials: { username, password: 'env:PEER_ADMIN', project, systemScope: 'all' },
      };
      conductor = (await peer.system.call('GET', 'ironic', '/v1/conductors')).conductors[0].hostname;
      ramdisk = await uploadImage(peer.admin, 'deploy-ramdisk', RAMDISK);
      await patchNode('add', '/driver_info/deploy_ramdisk', ramdisk);
    });
    afterAll(() => {
      delete process.env['PEER_ADMIN'];
      delete process.env['PEER_MEMBER'];
    });

    it('passes', async () => {
      const results = await outcomes();
      expect([...results].map(([id, { outcome, findings }]) => [id, outcome, findings])).toEqual(
        CHECKS.map(({ check }) => [check.id, 'pass', []]),
      );
    });

    it('a node that does not validate', async () => {
      await patchNode('add', '/instance_info/traits', ['CUSTOM_NOT_THERE']);
      await alone('node-validate', /finds the deploy interface of node bm-1 unfit/, undefined, () =>
        patchNode('remove', '/instance_info/traits'),
      );
    });

    it('an interface that is not enabled, and a hardware type that is not', async () => {
      const wanting = (name: string, boot: string) => contract({ drivers: [{ name, interfaces: { boot } }] });
      await alone(
        'ironic-drivers',
        /has no boot interface ipxe: fake is enabled/,
        wanting('fake-hardware', 'ipxe'),
      );
      await alone('ironic-drivers', /No conductor has the hardware type redfish/, wanting('redfish', 'ipxe'));
    });

    it('a publisher that has nothing there', async () => {
      const publishers = [`${peer.endpoint('keystone').replace(/\/v3$/, '')}/nothing`];
      await alone('boot-images-published', /There is nothing at .*\(404\)/, contract({ publishers }));
    });

    it('an image that was changed in Glance: another of its name, deactivated, without its bytes', async () => {
      const other = await uploadImage(peer.admin, IMAGE, Buffer.from('other bytes'));
      await alone('glance-images', /2 images of the name/, undefined, () =>
        peer.admin.call('DELETE', 'glance', `/v2/images/${other}`),
      );
      const { images } = await peer.admin.call('GET', 'glance', `/v2/images?name=${IMAGE}`);
      const { id } = images[0];
      await peer.admin.call('POST', 'glance', `/v2/images/${id}/actions/deactivate`);
      await alone('glance-images', /is deactivated in Glance, and not active/, undefined, () =>
        peer.admin.call('POST', 'glance', `/v2/images/${id}/actions/reactivate`),
      );
      await imageBytesLost(peer, id);
      await alone('glance-images', /is recorded in the contract/);
      await peer.admin.call('DELETE', 'glance', `/v2/images/${id}`);
      await uploadImage(peer.admin, IMAGE, Buffer.from('changed bytes'));
      await alone('glance-images', /is recorded in the contract/, contract());
      const changed = (await peer.admin.call('GET', 'glance', `/v2/images?name=${IMAGE}`)).images[0].id;
      await peer.admin.call('DELETE', 'glance', `/v2/images/${changed}`);
      await uploadImage(peer.admin, IMAGE, IMAGE_BYTES);
      expect(await make('glance-images', contract())).toMatchObject({ outcome: 'pass' });
    });

    it('a node without a console, and one that is owned by whoever is to see none', async () => {
      const consoleOf = (to: string) => patchNode('replace', '/console_interface', to);
      await consoleOf('no-console');
      await alone('console-proxy', /has console interface no-console/, undefined, () => consoleOf('fake'));
      const { projects } = await peer.admin.call('GET', 'keystone', '/projects?name=acceptance');
      await patchNode('add', '/owner', projects[0].id);
      await alone('console-proxy', /member, who is to have no console, is shown that/, undefined, () =>
        patchNode('remove', '/owner'),
      );
    });

    it('a deploy ramdisk that was deleted', async () => {
      await peer.admin.call('DELETE', 'glance', `/v2/images/${ramdisk}`);
      await alone('deploy-images', /Glance has no image/, undefined, async () => {
        ramdisk = await uploadImage(peer.admin, 'deploy-ramdisk', RAMDISK);
        await patchNode('add', '/driver_info/deploy_ramdisk', ramdisk);
      });
    });

    it('a stopped conductor, which is told of it and of its nodes; what only it could tell is an error', async () => {
      const mend = await serviceDown(peer, 'ironic-conductor');
      const results = await outcomes();
      await mend();
      expect(notGreen(results)).toEqual([
        'ironic-conductors fail',
        'ironic-drivers error',
        'node-validate error',
        'node-conductor fail',
        'console-proxy error',
      ]);
      const said = (id: string) => results.get(id)!.findings[0]!.failure.message;
      expect(said('ironic-conductors')).toContain(`Conductor ${conductor} is not alive`);
      expect(said('node-conductor')).toMatch(/onductor .*responsible for node bm-1/);
      shown('ironic-conductors');
      shown('node-conductor');
      expect(notGreen(await outcomes())).toEqual([]);
    });

    it('a password that is not right is an error of every check that asks, and no fail of any', async () => {
      const right = contract();
      const credentials = { ...right.openstack!.credentials!, password: 'env:PEER_MEMBER' };
      const results = await outcomes({ ...right, openstack: { ...right.openstack!, credentials } });
      expect(notGreen(results)).toEqual(
        CHECKS.filter(({ check }) => check.id !== 'boot-images-published').map(
          ({ check }) => `${check.id} error`,
        ),
      );
    });
  });
}
