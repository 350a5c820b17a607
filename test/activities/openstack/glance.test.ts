import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { OpenStack } from '../../../activities/openstack/client.ts';
import { digestOf, imagesNamed } from '../../../activities/openstack/glance.ts';
import { readImage } from '../../../core/openstack/images.ts';

// What Glance lists to whom, and whether what it says of an image is believed.

interface Row {
  readonly id: string;
  readonly visibility: string;
  readonly os_hidden: boolean;
}
const row = (id: string, visibility: string, hidden = false): Row => ({ id, visibility, os_hidden: hidden });

/** Lists as Glance does: neither what is hidden nor what is of the community, unless it is asked for that. */
const glance = (rows: readonly Row[]): OpenStack =>
  ({
    list: (_service: string, path: string) => {
      const query = new URLSearchParams(path.split('?')[1]);
      const isAsked = ({ visibility, os_hidden: hidden }: Row): boolean =>
        hidden === (query.get('os_hidden') === 'true') &&
        (query.has('visibility') ? visibility === query.get('visibility') : visibility !== 'community');
      return Promise.resolve(rows.filter(isAsked));
    },
  }) as unknown as OpenStack;

it.each<[string, readonly Row[], readonly string[]]>([
  ['is public', [row('a', 'public')], ['a']],
  ['is of the community', [row('a', 'community')], ['a']],
  ['is hidden', [row('a', 'private', true)], ['a']],
  ['is both', [row('a', 'community', true)], ['a']],
  ['is listed, where others of its name are not', [row('b', 'community'), row('a', 'public')], ['a']],
  ['is one of two that are not listed', [row('a', 'community'), row('b', 'public', true)], ['a', 'b']],
  ['is not there', [], []],
])('an image that %s is found by its name', async (_what, rows, ids) => {
  const found = (await imagesNamed(glance(rows), 'ubuntu')) as readonly Row[];
  expect(found.map(({ id }) => id)).toEqual(ids);
});

it.each(['sha256', 'sha512'])('the %s that Glance recorded is not taken for the bytes', async (algorithm) => {
  const [was, is] = [Buffer.from('as it was'), Buffer.from('as it is now')];
  const cloud = {
    async *bytes() {
      yield is;
    },
  } as unknown as OpenStack;
  const hash = (bytes: Buffer, of: string) => createHash(of).update(bytes).digest('hex');
  const image = readImage({ id: 'a', os_hash_algo: algorithm, os_hash_value: hash(was, algorithm) });
  expect(await digestOf(cloud, image)).toEqual({
    digest: `sha256:${hash(is, 'sha256')}`,
    own: hash(is, algorithm),
  });
});
