import { imageOf } from '../../../contracts/inventory/effective.ts';
import { fail } from '../../../core/errors/failure.ts';
import { GOALS } from '../../../core/ironic/goals.ts';
import { configDrive, imageInfo } from '../../../core/ironic/instance.ts';
import type { IronicNode, PatchOperation } from '../../../core/ironic/node.ts';
import { NEEDED_INTERFACES } from '../../../core/ironic/validation.ts';
import { guestPorts } from '../../../core/guest-network.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import { configDrive as configDriveVolume } from '../../agent/config-drive.ts';
import { nodeUuid } from '../../agent/identity.ts';
import type { StepContext } from '../driver.ts';
import { tryGuest } from '../reach.ts';
import { pursue } from './pursue.ts';
import { findNode, step, theNode, type Session } from './session.ts';
import { firstWords } from '../../../core/whole-words.ts';

/** Checks the image and what Ironic itself thinks of the node. A running instance's record is not touched. */
export const preflight = step(async (session) => {
  const { ref, args } = session.context.input;
  if (args['keepData'] === false) {
    throw fail(
      'IRONIC_REQUEST_UNSUPPORTED',
      'Ironic writes only the root device when it rebuilds; `keepData: false` would need the other disks erased.',
    );
  }
  const image = wantedImage(session.context);
  const node = await theNode(session);
  if (ref.kind === 'deploy' && node.provisionState === 'available')
    await writeImageInfo(session, node, image);
  const verdicts = await session.ironic.validate(node.uuid);
  const unfit = NEEDED_INTERFACES.flatMap((kind) => {
    const reason = verdicts.has(kind) ? verdicts.get(kind) : 'it says nothing of it';
    return reason === undefined ? [] : [`${kind}: ${reason}`];
  });
  if (unfit.length > 0) {
    throw fail(
      'IRONIC_VALIDATION_FAILED',
      `Ironic finds node ${node.name} unfit: ${firstWords(unfit.join('; '), 900)}`,
    );
  }
  return { summary: `Image ${String(args['image'])} is in the contract; Ironic finds the node fit.` };
});

/** Deploys the image, once per operation. */
export const deploy = step(async (session) => {
  const image = wantedImage(session.context);
  const { node } = await pursue(session, GOALS.deployed, async (target) => {
    if (target !== 'active') return {};
    await writeImageInfo(session, await theNode(session), image);
    return { configdrive: await guestConfig(session.context) };
  });
  return { summary: `Ironic says active: ${described(session.context)} is deployed on node ${node.uuid}.` };
});

/** Writes another image under the same instance, once per operation; its config drive stays. */
export const rebuild = step(async (session) => {
  const image = wantedImage(session.context);
  const { node } = await pursue(session, GOALS.rebuilt, async (target) => {
    if (target === 'rebuild') await writeImageInfo(session, await theNode(session), image);
    return {};
  });
  return {
    summary: `Ironic says active: ${described(session.context)} is on node ${node.uuid}; only its root device was written, other disks are as they were.`,
  };
});

/** Takes the instance down. A node that Ironic does not know has none. */
export const undeploy = step(async (session) => {
  const present = await findNode(session);
  if (present === undefined) return { summary: 'Ironic has no such node, hence no instance.' };
  const { node } = await pursue(session, GOALS.undeployed);
  return { summary: `Node ${node.uuid} has no instance in Ironic (${node.provisionState}).` };
});

/** Reads back what is handed over. Ironic's word is evidence; the guest's own is not asked for here. */
export const handOver = step(async (session) => {
  const { context } = session;
  const node = await theNode(session);
  const { image_os_hash_value: written } = node.instanceInfo;
  const wanted = imageOf(context.inventory, String(context.input.args['image'])).checksum.replace(
    'sha256:',
    '',
  );
  if (node.provisionState !== 'active' || written !== wanted) {
    throw fail(
      'IRONIC_STATE_UNEXPECTED',
      `Node ${node.name} is ${node.provisionState} in Ironic with image hash ${String(written)}; active with ${wanted} was to be handed over.`,
    );
  }
  // The guest tells nobody here what it has: it is tried where the contract put it.
  const tried = await tryGuest(context, { addresses: [] });
  const evidence = await context.evidence('hand-over', {
    asked: `GET /v1/nodes/${node.uuid}`,
    of: 'Ironic',
    answer: {
      provisionState: node.provisionState,
      powerState: node.powerState,
      image: context.input.args['image'] ?? null,
      sha256: wanted,
      lastError: node.lastError,
    },
  });
  const power = node.powerState === 'power on' ? { power: 'on' } : {};
  return {
    summary: `Ironic says active, ${node.powerState ?? 'power unknown'}. The guest's first boot was not checked; ${tried.summary}.`,
    data: power,
    evidence: [evidence, ...tried.evidence],
  };
});

const described = ({ input }: StepContext): string => `image ${String(input.args['image'])}`;

/** The image of the request, as Ironic fetches it. A file of ours is served by the gateway. */
function wantedImage({ inventory, input, site }: StepContext): JsonObject {
  const image = imageOf(inventory, String(input.args['image']));
  const remote = /^https?:/i.test(image.url);
  const gateway = inventory.media?.gatewayUrl;
  if (!remote && gateway === undefined) {
    throw fail(
      'IRONIC_IMAGE_SOURCE',
      `Image ${image.name} is a file on the worker, and the contract has no \`media.gatewayUrl\` to serve it from.`,
    );
  }
  const source = remote
    ? image.url
    : `${gateway}/images/${site.tokens.mint(input.ref, 'image', input.window)}/${image.name}`;
  return imageInfo({ source, sha256: image.checksum, format: image.format });
}

async function writeImageInfo({ ironic }: Session, node: IronicNode, image: JsonObject): Promise<void> {
  const patch: PatchOperation[] = Object.entries(image)
    .filter(([key, value]) => node.instanceInfo[key] !== value)
    .map(([key, value]) => ({ op: 'add', path: `/instance_info/${key}`, value }));
  if (patch.length > 0) await ironic.patchNode(node.uuid, patch);
}

/** The config drive: as JSON, of which Ironic makes one of OpenStack's form, or whole in the other form. */
async function guestConfig(context: StepContext): Promise<Json> {
  const { input, inventory, node } = context;
  const { args, ref } = input;
  const userData = typeof args['userData'] === 'string' ? await context.secret(args['userData']) : undefined;
  const hostname = typeof args['hostname'] === 'string' ? args['hostname'] : node.name;
  const sshKeys = Array.isArray(args['sshKeys']) ? args['sshKeys'].map(String) : [];
  const network = guestPorts(node.ports, inventory.networks);
  if (imageOf(inventory, String(args['image'])).configDrive !== 'nocloud') {
    return configDrive({ hostname, sshKeys, network, userData });
  }
  return configDriveVolume({
    form: 'nocloud',
    uuid: nodeUuid(ref.site, ref.node),
    hostname,
    publicKeys: sshKeys,
    network,
    userData: userData === undefined ? undefined : Buffer.from(userData),
  });
}
