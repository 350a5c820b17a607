import { describe, expect, it } from 'vitest';
import {
  isOnItsWay,
  judgeRefused,
  judgeReturned,
  judgeStored,
  leftImages,
  readImage,
  testImage,
} from '../../../core/openstack/test-image.ts';

const SENT = {
  size: 3,
  digest: (algorithm: string) => ({ md5: 'm', sha512: 's' })[algorithm],
};
const STORED = readImage({
  id: 'i',
  status: 'active',
  size: 3,
  checksum: 'm',
  os_hash_algo: 'sha512',
  os_hash_value: 's',
});

describe('a test image', () => {
  it.each<[string, object, string[]]>([
    ['is what was sent', {}, []],
    ['has no digest', { checksum: null, os_hash_value: null, os_hash_algo: null }, []],
    ['has one by an algorithm that is not known', { os_hash_algo: 'shake', os_hash_value: 'x' }, []],
    [
      'never became active',
      { status: 'queued' },
      ['Glance took 3 bytes, and the image is queued, not active.'],
    ],
    ['has another size', { size: 2 }, ['Glance was given 3 bytes, and says that it has 2.']],
    ['has another checksum', { checksum: 'n' }, ['The checksum that Glance tells is that of other bytes.']],
    [
      'has another digest',
      { os_hash_value: 't' },
      ['The os_hash_value (sha512) that Glance tells is that of other bytes.'],
    ],
  ])('that %s', (_what, over, messages) => {
    const image = readImage({
      id: 'i',
      status: 'active',
      size: 3,
      checksum: 'm',
      os_hash_algo: 'sha512',
      os_hash_value: 's',
      ...over,
    });
    expect(judgeStored(image, SENT).map(({ message }) => message)).toEqual(messages);
  });

  it('is waited for while it is on its way', () => {
    expect(isOnItsWay(STORED)).toBe(false);
    expect(isOnItsWay({ ...STORED, status: 'saving' })).toBe(true);
    expect(isOnItsWay({ ...STORED, status: 'killed' })).toBe(false);
  });

  it('comes back as it was, or not', () => {
    const bytes = (...all: number[]) => Uint8Array.from(all);
    expect(judgeReturned(bytes(1, 2), bytes(1, 2))).toBeUndefined();
    expect(judgeReturned(bytes(1, 2), bytes(1, 3))?.message).toBe(
      'Glance gives back other bytes than it was given, from byte 1 of 2 on.',
    );
    expect(judgeReturned(bytes(1, 2), bytes())?.message).toBe('Glance was given 2 bytes, and gives back 0.');
    expect(judgeReturned(bytes(1, 2), bytes(1, 2, 3))?.message).toBe(
      'Glance was given 2 bytes, and gives back 3.',
    );
  });

  it('is refused for want of a quota or of room', () => {
    expect(judgeRefused(503, 'x')).toBeUndefined();
    expect(judgeRefused(413, 'Project x is over a limit for image_size_total')).toMatchObject({
      message: 'Glance does not store the image: Project x is over a limit for image_size_total',
      correction: expect.stringContaining('Raise the quota'),
    });
    expect(judgeRefused(413, 'There is not enough disk space')?.correction).toMatch(/^Make room/);
    expect(judgeRefused(413, '')?.message).toMatch(/refused with 413/);
  });

  it('is known again by tag, name, site and that nobody else sees it', () => {
    const mine = { id: '1', ...testImage('site-a', 'run/1') };
    const rows = [
      mine,
      { ...mine, id: '2', tags: [] },
      { ...mine, id: '3', name: 'ubuntu' },
      { ...mine, id: '4', visibility: 'public' },
      { id: '5', ...testImage('site-b', 'run/1') },
      { ...mine, id: '6', rackwright_site: 'site-b' },
    ];
    expect(leftImages('site-a', rows)).toEqual(['1']);
  });
});
