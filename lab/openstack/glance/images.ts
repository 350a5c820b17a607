import { createHash } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  openSync,
  closeSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import type { Cloud } from '../cloud.ts';
import { ApiError } from '../errors.ts';
import { PROJECT_ID } from '../keystone/service.ts';
import { newUuid, second, type Image, type Wire } from '../state.ts';

const FORMATS = [
  'ami',
  'ari',
  'aki',
  'vhd',
  'vhdx',
  'vmdk',
  'raw',
  'qcow2',
  'vdi',
  'iso',
  'ploop',
  'gpt',
  'luks',
];
const CONTAINERS = ['ami', 'ari', 'aki', 'bare', 'ovf', 'ova', 'docker', 'compressed'];
const READ_ONLY = [
  'checksum',
  'created_at',
  'direct_url',
  'file',
  'locations',
  'os_hash_algo',
  'os_hash_value',
  'schema',
  'self',
  'size',
  'status',
  'stores',
  'updated_at',
  'virtual_size',
];

export const bytesOf = (cloud: Cloud, id: string): string => join(cloud.imageDir, id);

/** A new image without bytes. */
export function newImage(cloud: Cloud, asked: Wire, id = newUuid()): Image {
  const given = { ...asked };
  delete given['id'];
  const wrong = Object.keys(given).find((name) => READ_ONLY.includes(name));
  if (wrong !== undefined) throw new ApiError(403, `Attribute '${wrong}' is read-only.`);
  checkFormats(given);
  const now = second();
  const image: Image = {
    owner_specified: undefined,
    disk_format: null,
    container_format: null,
    visibility: 'shared',
    min_disk: 0,
    min_ram: 0,
    protected: false,
    os_hidden: false,
    tags: [],
    ...given,
    name: String(given['name'] ?? ''),
    id,
    owner: PROJECT_ID,
    status: 'queued',
    size: null,
    virtual_size: null,
    checksum: null,
    os_hash_algo: null,
    os_hash_value: null,
    created_at: now,
    updated_at: now,
    self: `/v2/images/${id}`,
    file: `/v2/images/${id}/file`,
    schema: '/v2/schemas/image',
  };
  delete image['owner_specified'];
  cloud.state.images.push(image);
  cloud.save();
  return image;
}

function checkFormats(given: Wire): void {
  const one = (field: string, known: readonly string[]): void => {
    const value = given[field];
    if (value !== undefined && value !== null && !known.includes(String(value)))
      throw new ApiError(
        400,
        `Provided object does not match schema 'image': '${String(value)}' is not one of ${JSON.stringify(known)}`,
      );
  };
  one('disk_format', FORMATS);
  one('container_format', CONTAINERS);
}

/** Keeps the bytes of an image, and its digests. */
export async function upload(cloud: Cloud, image: Image, bytes: Readable): Promise<void> {
  mkdirSync(cloud.imageDir, { recursive: true });
  if (image.status !== 'queued')
    throw new ApiError(409, `Image status transition from ${image.status} to saving is not allowed`);
  if (image['disk_format'] === null || image['container_format'] === null)
    throw new ApiError(400, 'Properties disk_format, container_format must be set prior to saving data.');
  image.status = 'saving';
  cloud.save();
  const path = bytesOf(cloud, image.id);
  const aside = `${path}.part`;
  const [md5, sha512] = [createHash('md5'), createHash('sha512')];
  let size = 0;
  const file = openSync(aside, 'w', 0o600);
  try {
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      md5.update(chunk);
      sha512.update(chunk);
      size += chunk.length;
      writeSync(file, chunk);
    }
  } catch (error) {
    rmSync(aside, { force: true });
    image.status = 'queued';
    cloud.save();
    throw error;
  } finally {
    closeSync(file);
  }
  renameSync(aside, path);
  Object.assign(image, {
    status: 'active',
    size,
    checksum: md5.digest('hex'),
    os_hash_algo: 'sha512',
    os_hash_value: sha512.digest('hex'),
    updated_at: second(),
  });
  cloud.save();
}

/** The bytes of an image; a fault changes the last of each part. */
export function download(cloud: Cloud, image: Image): Readable | undefined {
  const path = bytesOf(cloud, image.id);
  if (image.status !== 'active' || !existsSync(path)) return undefined;
  const bytes = createReadStream(path);
  if (!cloud.faults.glance.on('imageCorrupt')) return bytes;
  const corrupt = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const other = Buffer.from(chunk);
      other[other.length - 1]! ^= 0xff;
      done(null, other);
    },
  });
  bytes.once('error', (error) => corrupt.destroy(error));
  return bytes.pipe(corrupt);
}

/** Takes an image and its bytes away. */
export function remove(cloud: Cloud, image: Image): void {
  if (image['protected'] === true)
    throw new ApiError(403, `Image ${image.id} is protected and cannot be deleted.`);
  cloud.state.images = cloud.state.images.filter(({ id }) => id !== image.id);
  cloud.save();
  rmSync(bytesOf(cloud, image.id), { force: true });
}

interface Operation {
  readonly op?: unknown;
  readonly path?: unknown;
  readonly value?: unknown;
}

/** Changes an image as a JSON patch says, all of it or nothing. */
export function patch(cloud: Cloud, image: Image, operations: unknown): void {
  if (!Array.isArray(operations))
    throw new ApiError(400, 'Request body must be a JSON array of operation objects.');
  const next: Wire = { ...image };
  for (const { op, path, value } of operations as Operation[]) {
    const field = String(path).replace(/^\//, '').replaceAll('~1', '/').replaceAll('~0', '~');
    if (READ_ONLY.includes(field) || field === 'id')
      throw new ApiError(403, `Attribute '${field}' is read-only.`);
    if (op === 'remove' || op === 'replace') {
      if (!(field in next)) throw new ApiError(409, `Property ${field} does not exist.`);
    } else if (op !== 'add') throw new ApiError(400, `Operations must be "add", "remove", or "replace".`);
    if (op === 'remove') delete next[field];
    else next[field] = value;
  }
  checkFormats(next);
  for (const field of Object.keys(image)) delete image[field];
  Object.assign(image, next, { updated_at: second() });
  cloud.save();
}

const OTHER = 'other bytes';

/** An image as it is shown, as faults have it. */
export function shownImage(cloud: Cloud, image: Image): Wire {
  const { glance } = cloud.faults;
  if (glance.on('imageNotActive'))
    return {
      ...image,
      status: 'queued',
      size: null,
      checksum: null,
      os_hash_algo: null,
      os_hash_value: null,
    };
  if (image.status === 'active' && glance.on('imageChecksumOther'))
    return {
      ...image,
      checksum: createHash('md5').update(OTHER).digest('hex'),
      os_hash_value: createHash('sha512').update(OTHER).digest('hex'),
    };
  return { ...image };
}
