import { expect, test } from 'vitest';
import { notAsAsked } from '../../../client/up/lab.ts';

interface Has {
  servers: number;
  speed: string | undefined;
  controlPlane?: boolean;
  openstack?: boolean;
}
test.each<[asked: object, lab: Has, told: string | undefined]>([
  [{}, { servers: 8, speed: '1' }, undefined],
  [{ servers: '8', speed: '2.0' }, { servers: 8, speed: '2' }, undefined],
  [{ servers: '20' }, { servers: 8, speed: '1' }, 'it has 8 servers, not 20.'],
  [{ servers: 'many' }, { servers: 8, speed: '1' }, 'it has 8 servers, not many.'],
  [{ speed: '10' }, { servers: 8, speed: '2' }, 'it has speed 2, not 10.'],
  [{ speed: '10' }, { servers: 8, speed: undefined }, undefined],
  [
    { servers: '2', speed: '5' },
    { servers: 8, speed: '1' },
    'it has 8 servers, not 2, and has speed 1, not 5.',
  ],
  [
    { controlPlane: true, openstack: true },
    { servers: 8, speed: '1', controlPlane: true, openstack: true },
    undefined,
  ],
  [{}, { servers: 8, speed: '1', controlPlane: true, openstack: true }, undefined],
  [{ controlPlane: true }, { servers: 8, speed: '1' }, 'it has no control plane.'],
  [{ openstack: true }, { servers: 8, speed: '1', controlPlane: true }, 'it has no OpenStack.'],
])('asked for %j, joined %j: %s', (asked, lab, told) => {
  const lines = notAsAsked(asked, lab);
  expect(lines).toHaveLength(told === undefined ? 0 : 1);
  if (told !== undefined) expect(lines[0]).toContain(`joined as it is: ${told}`);
});
