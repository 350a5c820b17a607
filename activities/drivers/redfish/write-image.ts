import { setTimeout as sleep } from 'node:timers/promises';
import { imageOf } from '../../../contracts/inventory/effective.ts';
import type { Image } from '../../../contracts/inventory/supply.ts';
import { writtenImage } from '../../../core/agent/command.ts';
import type { AgentDisk } from '../../../core/agent/hardware.ts';
import { objectOf, textOf } from '../../../core/agent/read.ts';
import { chooseRootDevice, shownDisk } from '../../../core/agent/root-device.ts';
import { fail } from '../../../core/errors/failure.ts';
import { writtenBytes } from '../../../core/image-format.ts';
import type { Json } from '../../../core/json.ts';
import type { AgentClient } from '../../agent/client.ts';
import { nodeUuid } from '../../agent/identity.ts';
import { imageHead, imageSize } from '../../agent/image-source.ts';
import { gatewayUrlOf, imageUrl } from '../../agent/urls.ts';
import { doOnce, run } from '../../agent/work.ts';
import type { StepContext, StepFunction } from '../driver.ts';
import { agentNode, agentPorts, hardwareThat, requireAgent } from './agent-steps.ts';
import { attemptOf } from './boot-session.ts';
import { sentence } from './bmc.ts';
import { guestDrive } from './guest-drive.ts';

/** What the agent calls this write: it tells a write of this boot from one of another. */
const imageIdOf = ({ input }: StepContext): string =>
  `${input.ref.requestId}-${input.ref.generation}-${input.window.epoch}`;

/** Writes the image to the root device, once, with the config drive. */
export const writeImage: StepFunction = async (context) => {
  const agent = requireAgent(context);
  const image = imageOf(context.inventory, String(context.input.args['image']));
  const id = imageIdOf(context);
  const command = await doOnce(
    agent,
    {
      command: 'standby.prepare_image',
      isOurs: (done) => writtenImage(done)?.imageId === id,
      params: () => prepareParams(context, agent, image, id),
      what: `Writing ${image.name}`,
      attempt: attemptOf(),
    },
    (ms) => sleep(ms, undefined, { signal: context.signal }),
  );
  const disks = await disksOf(context, agent);
  const root = rootDevice(context, disks);
  const written = writtenImage(command);
  if (written !== undefined && written.device !== root.name) {
    throw fail(
      'IMAGE_UNVERIFIED',
      `The agent wrote to ${written.device}; the root device is ${shownDisk(root)}.`,
    );
  }
  const evidence = await context.evidence('image-written', {
    asked: `standby.prepare_image ${id}`,
    of: context.input.agent!.callbackUrl,
    answer: {
      image: image.name,
      checksum: image.checksum,
      root: root as unknown as Json,
      result: command.result as Json,
    },
  });
  const others = disks.filter((disk) => disk.name !== root.name).map((disk) => disk.name);
  return {
    summary: sentence(`${image.name} written to ${shownDisk(root)}`, fateOf(context, others)),
    data: {
      imageWritten: {
        id,
        image: image.name,
        checksum: image.checksum,
        device: root.name,
        serial: root.serial,
      },
    },
    evidence: [evidence],
  };
};

/** What happens to the disks beside the root device, in words. */
function fateOf({ input }: StepContext, others: readonly string[]): string {
  if (others.length === 0) return 'there is no other disk';
  const list = others.join(', ');
  if (input.ref.kind !== 'reimage') return `${list} were not written to`;
  return input.args['keepData'] === true
    ? `data disks kept as they are: ${list}`
    : `data disks were not written to, and may not be relied on: ${list}`;
}

/** The disks; an answer in which there is no one root device is not believed at once. */
async function disksOf({ node }: StepContext, agent: AgentClient): Promise<readonly AgentDisk[]> {
  const { disks } = await hardwareThat(
    agent,
    (known) => 'disk' in chooseRootDevice(known.disks, node.rootDevice),
  );
  return disks;
}

/** The one disk that the contract means; an error that lists what there is if it is not one. */
function rootDevice({ node }: StepContext, disks: readonly AgentDisk[]): AgentDisk {
  const choice = chooseRootDevice(disks, node.rootDevice);
  if ('disk' in choice) return choice.disk;
  const seen = disks.map(shownDisk).join('; ') || 'none';
  const details = { disks: disks.map(shownDisk) };
  if (choice.problem === 'none') {
    throw fail('ROOT_DEVICE_NOT_FOUND', `No disk is as \`rootDevice\` says. Disks seen: ${seen}.`, {
      details,
    });
  }
  const which = node.rootDevice === undefined ? 'The contract gives no hints' : 'The hints fit several disks';
  throw fail('ROOT_DEVICE_AMBIGUOUS', `${which}: ${choice.candidates.map(shownDisk).join('; ')}.`, {
    details,
  });
}

/** The agent keeps the node that it is given here: the disk is chosen by us, by its very name. */
export async function pinRootDevice(context: StepContext, agent: AgentClient): Promise<AgentDisk> {
  const root = rootDevice(context, await disksOf(context, agent));
  const pinned = agentNode(context, { name: `s== ${root.name}` });
  await run(agent, 'clean.get_clean_steps', { node: pinned, ports: agentPorts(context) });
  return root;
}

async function prepareParams(
  context: StepContext,
  agent: AgentClient,
  image: Image,
  id: string,
): Promise<object> {
  const { inventory, input, site, node } = context;
  await requireRoom(context, image, await pinRootDevice(context, agent));
  const door = { tokens: site.tokens, gatewayUrl: gatewayUrlOf(inventory, 'agent') };
  return {
    image_info: {
      id,
      urls: [imageUrl(door, input.ref, input.window, image.name)],
      os_hash_algo: 'sha256',
      os_hash_value: image.checksum.replace(/^sha256:/, ''),
      disk_format: image.format,
      container_format: 'bare',
      image_type: 'whole-disk',
      stream_raw_images: image.format === 'raw',
      node_uuid: nodeUuid(input.ref.site, input.ref.node),
      deploy_boot_mode: node.bootMode,
    },
    configdrive: await guestDrive(context),
  };
}

/** Before a byte is written: an image that is cut off at the end of a disk has a table that points past it. */
async function requireRoom({ signal }: StepContext, image: Image, root: AgentDisk): Promise<void> {
  const bytes = writtenBytes(image.format, await imageHead(image, signal), await imageSize(image, signal));
  if (bytes === undefined || bytes <= root.sizeBytes) return;
  throw fail(
    'ROOT_DEVICE_TOO_SMALL',
    `Image ${image.name} takes ${bytes} bytes; ${shownDisk(root)} has ${root.sizeBytes}.`,
    { details: { image: image.name, imageBytes: bytes, disk: root.name, diskBytes: root.sizeBytes } },
  );
}

/**
 * The agent compares the image with the contract's checksum while it writes; here it must say so of this
 * very write, and find a partition table on the disk.
 */
export const verifyImage: StepFunction = async (context) => {
  const agent = requireAgent(context);
  const written = objectOf(context.input.data['imageWritten']);
  const id = imageIdOf(context);
  const ours = (await agent.commands()).findLast((command) => command.name === 'prepare_image');
  const current = ours?.status === 'succeeded' && writtenImage(ours)?.imageId === id;
  if (ours !== undefined && !current) {
    throw fail('IMAGE_UNVERIFIED', 'The last write of this agent did not succeed, or was of another image.');
  }
  // An agent that was booted since has no write in its list; what it wrote before was checked then.
  if (ours === undefined && (textOf(written['id']) === null || written['id'] === id)) {
    throw fail(
      'IMAGE_UNVERIFIED',
      'The agent knows of no write, though it is the one that should have written.',
    );
  }
  const partitions = objectOf(await run(agent, 'standby.get_partition_uuids'));
  return {
    summary: sentence(
      `sha256 of ${textOf(written['image']) ?? 'the image'} was compared by the agent${current ? '' : ' of an earlier boot'}`,
      Object.keys(partitions).length === 0 ? undefined : 'the partition table is readable',
    ),
  };
};
