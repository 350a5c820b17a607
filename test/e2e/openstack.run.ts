import { afterAll, beforeAll, describe } from 'vitest';
import { OpenStackPeer } from '../peers/openstack/peer.ts';
import { missingForOpenStack } from '../peers/openstack/install.ts';
import { cloudIsUp } from './openstack/cloud.ts';
import { gate3Whole } from './openstack/gate-3-whole.ts';
import { gate4Small } from './openstack/gate-4.ts';
import { gate4Whole } from './openstack/gate-4-whole.ts';
import { physicalAcceptance } from './openstack/physical.ts';

/** Against the real OpenStack 2026.1: one cloud for all parts, each a function in `openstack/`. */

const missing = missingForOpenStack();
let started: OpenStackPeer | undefined;
const cloud = (): OpenStackPeer => started!;

describe.skipIf(missing !== undefined)(`a real OpenStack${missing ? `: ${missing}` : ''}`, () => {
  beforeAll(async () => {
    started = await OpenStackPeer.start({ services: 'whole' });
    console.log(started.laps.map(([part, seconds]) => `${part} ${seconds.toFixed(1)} s`).join(', '));
  });
  afterAll(() => started?.close());

  cloudIsUp(cloud);
  gate3Whole(cloud);
  gate4Small(cloud);
  gate4Whole(cloud);
  physicalAcceptance(cloud);
});
