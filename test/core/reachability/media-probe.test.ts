import { expect, it } from 'vitest';
import { holdsProbe, judgeAccesses, neverAsked } from '../../../core/reachability/media-probe.ts';
import { readSlot } from '../../../core/redfish/media.ts';

const at = '2026-03-01T00:00:00.000Z';

it('nothing is said while nobody has asked', () => {
  expect(judgeAccesses('n1', [])).toBeUndefined();
});

it('the BMC has asked, also where somebody else tried before it', () => {
  expect(
    judgeAccesses('n1', [
      { at, method: 'GET', from: '10.9.9.9', refused: 'The deploy media is for the BMC at 10.0.0.1.' },
      { at, method: 'HEAD', from: '10.0.0.1' },
      { at, method: 'GET', from: '10.0.0.1', range: 'bytes=0-2047' },
    ]),
  ).toEqual({ right: 'the BMC of n1 asked for the probe image with HEAD and GET from 10.0.0.1' });
});

it('somebody asked who is not the BMC of the contract: it is the contract, or NAT', () => {
  expect(
    judgeAccesses('n1', [{ at, method: 'GET', from: '10.9.9.9', refused: 'It is for 10.0.0.1.' }]),
  ).toMatchObject({
    wrong: {
      faultDomain: 'contract',
      message: 'The probe image of n1 was asked for from 10.9.9.9, and refused: It is for 10.0.0.1.',
      correction: expect.stringContaining('nat: true') as string,
    },
  });
});

it('that nobody asked names the publisher, and what is to be said of BMCs that fetch later', () => {
  expect(neverAsked('n1', 'http://10.0.0.2:8080')).toMatchObject({
    faultDomain: 'management-network',
    correction: expect.stringMatching(/http:\/\/10\.0\.0\.2:8080.*bmcFetches: boot/) as string,
  });
});

const slot = (body: object) => readSlot('/cd', 'system', { MediaTypes: ['CD'], ...body }, null);
it.each([
  ['by its URL', { Image: 'http://g/media/token/rackwright-probe.iso', Inserted: true }, true],
  ['by its name, where no URL is shown', { ImageName: 'rackwright-probe.iso', Inserted: true }, true],
  ['not the deploy media', { Image: 'http://g/media/token/n1.iso', Inserted: true }, false],
  ["not somebody else's", { Image: 'nfs://x/ubuntu.iso', Inserted: true }, false],
  ['not what was ejected', { Image: 'http://g/media/token/rackwright-probe.iso', Inserted: false }, false],
  ['not an empty drive', { Image: null, Inserted: false }, false],
])('a drive holds a probe: %s', (_what, body, held) => {
  expect(holdsProbe(slot(body))).toBe(held);
});
