import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOf, IMAGE, refOf, startGateway, WINDOW, type Gateway } from './fixture.ts';

const bytes = async (answer: Response): Promise<Buffer> => Buffer.from(await answer.arrayBuffer());

describe('an image in a file', () => {
  let gateway: Gateway;
  let url: string;
  beforeAll(async () => {
    gateway = await startGateway();
    url = `${gateway.url}/images/${gateway.token('gpu-01', 'image')}/ubuntu`;
  });
  afterAll(() => gateway.close());

  it('is streamed whole and in ranges', async () => {
    const whole = await fetch(url);
    expect(whole.headers.get('content-length')).toBe(String(IMAGE.length));
    expect((await bytes(whole)).equals(IMAGE)).toBe(true);
    const part = await fetch(url, { headers: { range: 'bytes=500-999' } });
    expect(part.status).toBe(206);
    expect((await bytes(part)).equals(IMAGE.subarray(500, 1000))).toBe(true);
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(IMAGE.length)]);
  });

  it('is the image of the operation and no other', async () => {
    for (const name of ['other', '..%2Fubuntu', 'ubuntu.raw']) {
      expect((await fetch(url.replace(/ubuntu$/, name))).status).toBe(404);
    }
    gateway.operations.start('gpu-02', {});
    const none = await fetch(`${gateway.url}/images/${gateway.token('gpu-02', 'image')}/ubuntu`);
    expect(none.status).toBe(404);
  });

  it('is gone after the end of the operation', async () => {
    gateway.operations.end('gpu-01');
    const answer = await fetch(url);
    expect([answer.status, await codeOf(answer)]).toEqual([410, 'OPERATION_OVER']);
  });
});

describe('a firmware file', () => {
  let gateway: Gateway;
  let ask: (name: string) => Promise<Response>;
  beforeAll(async () => {
    gateway = await startGateway({
      inventory: (plain) => {
        const [{ url: file, checksum }] = plain['images'] as [{ url: string; checksum: string }];
        const component = { component: 'BMC', version: '1', file, checksum };
        const baseline = (type: string) => ({ name: type, types: [type], components: [component] });
        plain['machineTypes'] = [{ name: 'gpu' }, { name: 'cpu' }];
        plain['firmware'] = { baselines: [baseline('gpu')] };
        (plain['nodes'] as { type: string }[])[1]!.type = 'cpu';
      },
    });
    for (const node of ['gpu-01', 'gpu-02'])
      gateway.operations.begin({ ...refOf(node), kind: 'service' }, WINDOW, { steps: ['firmware'] });
    ask = (name) => fetch(`${gateway.url}/images/${gateway.token('gpu-01', 'image')}/${name}`);
  });
  afterAll(() => gateway.close());

  it("of the node's baseline is served to its BMC by its name, and nothing else is", async () => {
    expect((await bytes(await ask('ubuntu.raw'))).equals(IMAGE)).toBe(true);
    for (const name of ['ubuntu', 'base.iso', '..%2Fubuntu.raw']) expect((await ask(name)).status).toBe(404);
    const ofAnotherType = await fetch(`${gateway.url}/images/${gateway.token('gpu-02', 'image')}/ubuntu.raw`);
    expect([ofAnotherType.status, await codeOf(ofAnotherType)]).toEqual([404, 'ROUTE_UNKNOWN']);
  });
});

describe('an image behind http', () => {
  let source: Server;
  let gateway: Gateway;
  let url: string;
  const seen: (string | undefined)[] = [];
  /** What the source answers first, before it answers well. */
  const troubles: (number | 'hangs up')[] = [];

  beforeAll(async () => {
    source = createServer((request, response) => {
      const trouble = troubles.shift();
      if (trouble === 'hangs up') {
        request.socket.destroy();
        return;
      }
      if (trouble !== undefined) {
        response.writeHead(trouble).end();
        return;
      }
      if (request.url === '/moved.raw') {
        response.writeHead(302, { location: '/ubuntu.raw' }).end();
        return;
      }
      if (request.url !== '/ubuntu.raw') {
        response.writeHead(404).end('no such image');
        return;
      }
      seen.push(request.headers.range);
      const found = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
      const [start, end] = found === null ? [0, IMAGE.length - 1] : [Number(found[1]), Number(found[2])];
      response.writeHead(found === null ? 200 : 206, {
        'content-length': end - start + 1,
        ...(found === null ? {} : { 'content-range': `bytes ${start}-${end}/${IMAGE.length}` }),
      });
      response.end(request.method === 'HEAD' ? undefined : IMAGE.subarray(start, end + 1));
    });
    await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve));
    const { port } = source.address() as AddressInfo;
    gateway = await startGateway({
      inventory: (plain) => {
        const [image] = plain['images'] as Record<string, unknown>[];
        plain['images'] = [
          { ...image, url: `http://127.0.0.1:${port}/moved.raw` },
          { ...image, name: 'lost', url: `http://127.0.0.1:${port}/lost.raw` },
          { ...image, name: 'dark', url: 'http://127.0.0.1:1/dark.raw' },
        ];
      },
    });
    url = `${gateway.url}/images/${gateway.token('gpu-01', 'image')}/ubuntu`;
  });
  afterAll(async () => {
    await gateway.close();
    await new Promise((resolve) => source.close(resolve));
  });

  it('is passed through, over a redirect, with its size and ranges', async () => {
    const whole = await fetch(url);
    expect(whole.headers.get('content-length')).toBe(String(IMAGE.length));
    expect((await bytes(whole)).equals(IMAGE)).toBe(true);
    const part = await fetch(url, { headers: { range: 'bytes=10-19' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-19/${IMAGE.length}`]);
    expect((await bytes(part)).equals(IMAGE.subarray(10, 20))).toBe(true);
    const head = await fetch(url, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(IMAGE.length));
    expect(seen).toContain('bytes=10-19');
  });

  it.each([[[503]], [['hangs up' as const]], [[502, 'hangs up' as const]], [[429]]])(
    'is asked for again by the gateway itself where its source first answers %j',
    async (answers) => {
      troubles.push(...answers);
      const whole = await fetch(url);
      expect(whole.status).toBe(200);
      expect((await bytes(whole)).equals(IMAGE)).toBe(true);
      expect(troubles).toEqual([]);
    },
  );

  it('is asked for three times at most, and once where the source does not have it', async () => {
    troubles.push(503, 503, 503, 200);
    const answer = await fetch(url);
    expect([answer.status, await codeOf(answer)]).toEqual([502, 'IMAGE_SOURCE_UNREACHABLE']);
    expect(troubles.splice(0)).toEqual([200]);
    troubles.push(404, 200);
    expect((await fetch(url)).status).toBe(502);
    expect(troubles.splice(0)).toEqual([200]);
  });

  it.each(['lost', 'dark'])('that is not there (%s) is a failure of the image supply', async (name) => {
    gateway.operations.start('gpu-02', { image: name });
    const answer = await fetch(`${gateway.url}/images/${gateway.token('gpu-02', 'image')}/${name}`);
    expect([answer.status, await codeOf(answer)]).toEqual([502, 'IMAGE_SOURCE_UNREACHABLE']);
  });
});
