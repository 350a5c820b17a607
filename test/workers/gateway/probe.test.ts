import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fileMediaProbes, type MediaProbes } from '../../../activities/media-probes/store.ts';
import { codeOf, startGateway, type Gateway } from './fixture.ts';

let folder: string;
let probes: MediaProbes;
let gateway: Gateway;
const start = async (bmc = 'http://127.0.0.1:8000'): Promise<void> => {
  folder = mkdtempSync(join(tmpdir(), 'rackwright-probe-'));
  probes = fileMediaProbes(join(folder, 'media-probes'));
  gateway = await startGateway({
    deps: { probes },
    inventory: (plain) => {
      (plain['nodes'] as { bmc: { address: string } }[])[0]!.bmc.address = bmc;
    },
  });
};
beforeEach(() => start());
afterEach(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

const inTime = () => Math.floor(Date.now() / 1000) + 60;
const urlOf = (
  id: string,
  { expires = inTime(), site = 'lab', file = 'rackwright-probe.iso' } = {},
): string => {
  const ref = { site, node: 'gpu-01', requestId: id, generation: 1 };
  return `${gateway.url}/media/${gateway.tokens.mint(ref, 'probe', { epoch: 0, expires })}/${file}`;
};

it('gives the image to the BMC, whole and in pieces, and notes each request', async () => {
  await probes.open('gpu-01', { id: 'a1', contractHash: 'c' });
  const { size } = (await probes.find('gpu-01', 'a1'))!;
  const head = await fetch(urlOf('a1'), { method: 'HEAD', headers: { 'user-agent': 'BMC/1' } });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(size)]);
  const piece = await fetch(urlOf('a1'), { headers: { range: 'bytes=0-2047', 'user-agent': 'BMC/1' } });
  expect([piece.status, (await piece.arrayBuffer()).byteLength]).toEqual([206, 2048]);
  expect(await probes.accesses('gpu-01')).toMatchObject([
    { method: 'HEAD', from: '127.0.0.1', agent: 'BMC/1' },
    { method: 'GET', from: '127.0.0.1', range: 'bytes=0-2047' },
  ]);
  expect(gateway.logged()).not.toContain(new URL(urlOf('a1')).pathname.split('/')[2]);
});

it('refuses whoever is not the BMC, and notes that, too', async () => {
  await gateway.close();
  await start('http://10.0.0.1');
  await probes.open('gpu-01', { id: 'a1', contractHash: 'c' });
  const answer = await fetch(urlOf('a1'));
  expect([answer.status, await codeOf(answer)]).toEqual([403, 'MEDIA_CLIENT_REFUSED']);
  expect(await probes.accesses('gpu-01')).toMatchObject([
    { from: '127.0.0.1', refused: expect.stringContaining('10.0.0.1') as string },
  ]);
});

it('opens for nothing else: another id, later, another site, another file, and once it is closed', async () => {
  await probes.open('gpu-01', { id: 'a1', contractHash: 'c' });
  const refused = async (url: string): Promise<string> => codeOf(await fetch(url));
  expect(await refused(urlOf('a2'))).toBe('TOKEN_EXPIRED');
  expect(await refused(urlOf('a1', { expires: 1 }))).toBe('TOKEN_EXPIRED');
  expect(await refused(urlOf('a1', { site: 'other' }))).toBe('TOKEN_INVALID');
  expect(await refused(urlOf('a1', { file: 'gpu-01.iso' }))).toBe('ROUTE_UNKNOWN');
  await probes.close('gpu-01');
  expect(await refused(urlOf('a1'))).toBe('TOKEN_EXPIRED');
  expect(await probes.accesses('gpu-01')).toEqual([]);
});

it('a token of the probe opens no other door', async () => {
  await probes.open('gpu-01', { id: 'a1', contractHash: 'c' });
  const token = new URL(urlOf('a1')).pathname.split('/')[2]!;
  for (const path of [`agent/${token}/`, `images/${token}/ubuntu`]) {
    expect(await codeOf(await fetch(`${gateway.url}/${path}`))).toBe('TOKEN_INVALID');
  }
});
