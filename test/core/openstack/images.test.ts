import { describe, expect, it } from 'vitest';
import {
  imagePlace,
  imageProblems,
  readImage,
  statusProblem,
  theImage,
  untoldOf,
  type RecordedImage,
} from '../../../core/openstack/images.ts';

const ID = '3f0c0a57-6a2e-4a77-9c7e-0d9b8f1a2c3d';
const IMAGE = {
  id: ID,
  name: 'ubuntu',
  status: 'active',
  size: 100,
  disk_format: 'raw',
  visibility: 'public',
  protected: false,
  os_hash_algo: 'sha256',
  os_hash_value: 'A'.repeat(64),
  hw_architecture: 'x86_64',
  hw_firmware_type: 'uefi',
};
const WANTED: RecordedImage = { name: 'base', checksum: `sha256:${'a'.repeat(64)}`, format: 'raw' };

describe('an image in Glance', () => {
  it('is the one of its name, or there is none that could be meant', () => {
    expect(theImage('ubuntu', [IMAGE])).toMatchObject({ image: { id: ID } });
    expect(theImage('ubuntu', [])).toMatchObject({ wrong: { message: /no image ubuntu/ } });
    expect(theImage('ubuntu', [IMAGE, IMAGE])).toMatchObject({ wrong: { message: /2 images of the name/ } });
  });

  it.each(['queued', 'killed', 'deactivated', 'pending_delete'])('%s cannot be deployed', (status) => {
    expect(statusProblem('base', readImage({ ...IMAGE, status }))?.message).toContain(status);
    expect(statusProblem('base', readImage(IMAGE))).toBeUndefined();
  });

  it.each<[string, Partial<RecordedImage>, object, RegExp | undefined]>([
    ['what the contract does not say is not demanded', {}, { visibility: 'private', size: 7 }, undefined],
    [
      'all as the contract says',
      { size: 100, architecture: 'x86_64', bootMode: 'uefi', visibility: 'public' },
      {},
      undefined,
    ],
    ['another format', {}, { disk_format: 'qcow2' }, /disk format qcow2/],
    ['another size', { size: 101 }, {}, /size 100 in Glance, and 101/],
    ['another architecture', { architecture: 'aarch64' }, {}, /architecture x86_64 in Glance, and aarch64/],
    ['another boot mode', { bootMode: 'bios' }, {}, /hw_firmware_type uefi in Glance, and bios/],
    ['shown to others', { visibility: 'private' }, {}, /visibility public/],
    ['not protected', { protected: true }, {}, /not protected/],
    [
      'nothing told contradicts nothing',
      { architecture: 'aarch64' },
      { hw_architecture: undefined },
      undefined,
    ],
  ])('%s', (_what, wanted, over, message) => {
    const found = imageProblems({ ...WANTED, ...wanted }, readImage({ ...IMAGE, ...over }));
    expect(found).toHaveLength(message === undefined ? 0 : 1);
    if (message !== undefined) expect(found[0]!.message).toMatch(message);
  });

  it('of which less is told than the contract says is said to be so', () => {
    const image = readImage({ ...IMAGE, hw_architecture: undefined, hw_firmware_type: undefined });
    expect(untoldOf({ ...WANTED, architecture: 'x86_64', bootMode: 'uefi' }, image)).toEqual([
      'hw_architecture',
      'hw_firmware_type',
    ]);
    expect(untoldOf(WANTED, image)).toEqual([]);
  });
});

it.each([
  ['http://h/k', { kind: 'url', url: 'http://h/k' }],
  [`glance://${ID}`, { kind: 'glance', name: ID }],
  [ID, { kind: 'glance', name: ID }],
  ['file:///httpboot/k', { kind: 'conductor', path: 'file:///httpboot/k' }],
])('%s is where a deploy image lies', (reference, place) => {
  expect(imagePlace(reference)).toEqual(place);
});
