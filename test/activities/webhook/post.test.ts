import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { post, signature } from '../../../activities/webhook/post.ts';

interface Heard {
  readonly method: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

/** A receiver on a free port; what it heard, and where it is. */
async function receiver(
  answer: (response: ServerResponse) => void,
): Promise<{ url: string; heard: Heard[] }> {
  const heard: Heard[] = [];
  const listening = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      heard.push({ method: request.method, headers: request.headers, body });
      answer(response);
    });
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}/hook?key=private`, heard };
}

const status =
  (code: number, headers = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(code, headers).end();
const message = { id: 'verdict-s-r1', body: '{"a":1}' };

describe('a message to a webhook', () => {
  it('is posted as JSON, with its id and a signature that the receiver can check', async () => {
    const { url, heard } = await receiver(status(204));
    await post({ url, ...message, secret: 'open sesame' });
    const [{ method, headers, body }] = heard as [Heard];
    expect(method).toBe('POST');
    expect(body).toBe('{"a":1}');
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': 'verdict-s-r1',
      'webhook-id': 'verdict-s-r1',
    });
    const timestamp = String(headers['webhook-timestamp']);
    expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(60);
    expect(headers['webhook-signature']).toBe(signature('open sesame', 'verdict-s-r1', timestamp, body));
    expect(JSON.stringify(headers)).not.toContain('sesame');
  });

  it('is not signed where there is no secret', async () => {
    const { url, heard } = await receiver(status(200));
    await post({ url, ...message });
    expect(heard[0]!.headers['webhook-signature']).toBeUndefined();
  });

  // By openssl: printf 'msg_1.1700000000.{"a":1}' | openssl dgst -sha256 -hmac 'key' -binary | base64
  it.each<[string, string]>([
    ['key', 'KSgv0SSgWzG5LPnm9tfWJRfBlWqAqHz+OlObgspQi/g='],
    ['whsec_a2V5', 'KSgv0SSgWzG5LPnm9tfWJRfBlWqAqHz+OlObgspQi/g='],
    ['other', 'UXYAy4Ys+wMEyc+6c3tEu17Q2WiJJFBWFU0jN9Rc7Lc='],
  ])('is signed with %s as others sign', (secret, expected) => {
    expect(signature(secret, 'msg_1', '1700000000', '{"a":1}')).toBe(`v1,${expected}`);
  });

  it.each<[number, boolean]>([
    [400, false],
    [401, false],
    [404, false],
    [408, true],
    [429, true],
    [500, true],
    [503, true],
  ])('that is answered %i has failed; tried again: %s', async (code, retryable) => {
    const { url } = await receiver(status(code));
    await expect(post({ url, ...message })).rejects.toMatchObject({
      failure: { code: 'WEBHOOK_FAILED', retryable, message: expect.stringContaining(String(code)) },
    });
  });

  it.each([301, 302, 307, 308])('follows no redirect (%i)', async (code) => {
    const { url, heard } = await receiver(status(code, { location: '/elsewhere' }));
    await expect(post({ url, ...message })).rejects.toMatchObject({
      failure: { retryable: false, message: expect.stringContaining('redirects') },
    });
    expect(heard).toHaveLength(1);
  });

  it('that meets nobody, or a broken connection, has failed for now, and no error names the query', async () => {
    const { url } = await receiver((response) => void response.destroy());
    const broken = await post({ url, ...message }).catch((error: unknown) => error);
    expect(broken).toMatchObject({ failure: { code: 'WEBHOOK_FAILED', retryable: true } });
    server!.close();
    const gone = await post({ url: 'http://127.0.0.1:9/x?key=private', ...message }).catch(
      (error: unknown) => error,
    );
    expect(gone).toMatchObject({ failure: { code: 'WEBHOOK_FAILED', retryable: true } });
    for (const error of [broken, gone]) expect((error as Error).message).not.toContain('private');
  });

  it('reads no more of an answer than it has to', async () => {
    const { url } = await receiver((response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    });
    await post({ url, ...message });
  });
});
