import { createHash, getHashes, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { RackwrightError } from '../../../core/errors/failure.ts';
import { field, text } from '../../../core/openstack/read.ts';
import {
  isOnItsWay,
  judgeRefused,
  judgeReturned,
  judgeStored,
  leftImages,
  readImage,
  TEST_TAG,
  testImage,
  type ImageRow,
  type Sent,
} from '../../../core/openstack/test-image.ts';
import type { OpenStack } from '../../openstack/client.ts';
import { answerInvalid } from '../../openstack/errors.ts';
import { eachTarget, foundOf, type CheckContext, type CheckFunction, type Wrong } from '../check.ts';
import { without, withOpenStack } from './session.ts';

const SIZE = 4 * 1024 * 1024;
const LITTLE = 4096;
/** Of the bytes on their way, in one direction. */
const BYTES_MS = 60_000;
const LOOKS = 30;
const AGAIN_MS = 500;
const REMOVE_MS = 30_000;

/** An image goes into Glance and comes back, byte for byte; nothing of it is left. */
export const imageRoundTrip: CheckFunction = {
  skip: without('image'),
  run: (context) =>
    eachTarget(context, 'openstack', [{ name: 'Glance' }], async ({ name }) => {
      const { site, runId, run } = context.input;
      const made = await withOpenStack(context, async (cloud) => {
        await removeLeft(cloud, site);
        try {
          return await thereAndBack(cloud, testImage(site, `${runId}/${run}`), context.signal);
        } catch (error) {
          // What went wrong is told; what is left is removed by the next attempt where it cannot be now.
          await cleared(context, site).catch(() => undefined);
          throw error;
        }
      });
      const left = await cleared(context, site);
      const wrong = [...made.wrong, ...(left > 0 ? [remains(left)] : [])];
      const evidence = await context.evidence(name, {
        asked: `An image of ${SIZE} random bytes was created, uploaded, read back and deleted.`,
        answer: { image: { ...made.image, size: made.image?.size ?? null }, sha512: made.sha512, left },
      });
      const right = `${SIZE} bytes went in and came back the same, and are removed`;
      return { found: foundOf(wrong, right), evidence: [evidence] };
    }),
};

interface Made {
  readonly wrong: readonly Wrong[];
  readonly image?: ImageRow;
  readonly sha512: string;
}

async function thereAndBack(cloud: OpenStack, described: object, signal: AbortSignal): Promise<Made> {
  const bytes = randomBytes(SIZE);
  const sha512 = createHash('sha512').update(bytes).digest('hex');
  const sent: Sent = {
    size: SIZE,
    digest: (algorithm) =>
      getHashes().includes(algorithm) ? createHash(algorithm).update(bytes).digest('hex') : undefined,
  };
  let id: string;
  try {
    id = await storeImage(cloud, described, bytes);
  } catch (error) {
    const refused = refusalOf(error) ?? (await refusalOfLittle(cloud, described, error));
    if (refused === undefined) throw error;
    return { wrong: [refused], sha512 };
  }
  const image = await arrived(cloud, id, signal);
  const stored = judgeStored(image, sent);
  if (image.status !== 'active') return { wrong: stored, image, sha512 };
  const returned = judgeReturned(bytes, await read(cloud, id));
  return { wrong: [...(returned ? [returned] : []), ...stored], image, sha512 };
}

/** Creates an image with these bytes; answers its id. */
async function storeImage(cloud: OpenStack, described: object, bytes: Uint8Array): Promise<string> {
  const path = '/v2/images';
  const id = text(field(await cloud.json('image', path, { method: 'POST', body: described }), 'id'));
  if (id === '') throw answerInvalid({ service: 'image', method: 'POST', path }, 'it has no id');
  await cloud.json('image', `${path}/${id}/file`, { method: 'PUT', body: bytes, timeoutMs: BYTES_MS });
  return id;
}

function refusalOf(error: unknown): Wrong | undefined {
  const { details } = error instanceof RackwrightError ? error.failure : {};
  return judgeRefused(details?.['status'], String(details?.['said'] ?? ''));
}

/**
 * Who refuses bytes may hang up while they are still being sent, and then nobody hears why. Few of them are sent before
 * that, and the answer is heard.
 */
async function refusalOfLittle(
  cloud: OpenStack,
  described: object,
  error: unknown,
): Promise<Wrong | undefined> {
  if (!(error instanceof RackwrightError) || error.failure.code !== 'OPENSTACK_UNREACHABLE') return undefined;
  try {
    await storeImage(cloud, described, randomBytes(LITTLE));
    return undefined;
  } catch (second) {
    return refusalOf(second);
  }
}

async function arrived(cloud: OpenStack, id: string, signal: AbortSignal): Promise<ImageRow> {
  for (let look = 1; ; look++) {
    const image = readImage(await cloud.json('image', `/v2/images/${id}`));
    if (!isOnItsWay(image) || look >= LOOKS) return image;
    await sleep(AGAIN_MS, undefined, { signal });
  }
}

/** What Glance gives back, and no more of it than one byte too many. */
async function read(cloud: OpenStack, id: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of cloud.bytes('image', `/v2/images/${id}/file`, { timeoutMs: BYTES_MS })) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > SIZE) break;
  }
  return Buffer.concat(chunks);
}

/** Removes the test images of this site; tells how many there are still. */
async function removeLeft(cloud: OpenStack, site: string): Promise<number> {
  const listed = () => cloud.list('image', `/v2/images?tag=${TEST_TAG}&limit=100`, 'images');
  for (const id of leftImages(site, await listed())) {
    try {
      await cloud.json('image', `/v2/images/${id}`, { method: 'DELETE' });
    } catch (error) {
      const status = error instanceof RackwrightError ? error.failure.details?.['status'] : undefined;
      if (status !== 404) throw error;
    }
  }
  return leftImages(site, await listed()).length;
}

/** The same, also when the check itself is being ended. */
const cleared = (context: CheckContext, site: string): Promise<number> =>
  withOpenStack({ ...context, signal: AbortSignal.timeout(REMOVE_MS) }, (cloud) => removeLeft(cloud, site));

const remains = (left: number): Wrong => ({
  message: `Glance has taken the DELETE of the test image, and still lists ${left} of them.`,
  correction: `openstack image list --tag ${TEST_TAG}; openstack image delete ID; look at glance-api's log for why it stays.`,
});
