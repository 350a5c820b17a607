import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  judgeProbe,
  judgeUnanswered,
  probeWords,
  readProbes,
  type Probe,
} from '../../../core/openstack/probe.ts';

const probe = (over: Partial<Probe>): Probe => ({
  url: 'https://glance.cloud:9292',
  exitCode: 0,
  status: 300,
  seconds: 0.1,
  address: '10.0.0.9',
  said: '',
  ...over,
});

describe('an endpoint, asked from a vantage point', () => {
  it.each<[string, Partial<Probe>, object]>([
    ['answers', {}, { right: 'answers at 10.0.0.9' }],
    ['wants a token', { status: 401 }, { right: 'answers at 10.0.0.9' }],
    ['has nobody behind it', { status: 503 }, { untold: expect.stringContaining('answered with 503') }],
    [
      'has no address',
      { exitCode: 6, status: 0, said: '(6) Could not resolve host: glance.cloud' },
      { wrong: expect.stringContaining('glance.cloud has no address from jump') },
    ],
    [
      'is looked up in vain',
      { exitCode: 6, status: 0, seconds: 8, said: '(6) Could not resolve host: glance.cloud' },
      { untold: expect.stringContaining('for 8 s without an answer') },
    ],
    [
      'is refused',
      { exitCode: 7, status: 0, said: '(7) Failed to connect to glance.cloud port 9292: Connection refused' },
      { wrong: expect.stringContaining('Nothing listens at https://glance.cloud:9292') },
    ],
    [
      'is not routed',
      { exitCode: 7, status: 0, said: '(7) Failed to connect: No route to host' },
      { untold: expect.stringContaining('No route to host') },
    ],
    ['is silent', { exitCode: 28, status: 0 }, { untold: expect.stringContaining('curl ends with 28') }],
    [
      'has a certificate that is not trusted',
      { exitCode: 60, status: 0, said: '(60) SSL certificate problem: certificate has expired' },
      { wrong: expect.stringContaining('certificate has expired') },
    ],
    [
      'speaks no TLS',
      { exitCode: 35, status: 0, said: '(35) error:0A00010B:SSL routines::wrong version number' },
      { wrong: expect.stringContaining('No TLS is spoken') },
    ],
    [
      'hangs up',
      { exitCode: 35, status: 0, said: '(35) OpenSSL SSL_connect: Connection reset by peer' },
      { untold: expect.stringContaining('reset by peer') },
    ],
  ])('that %s', (_what, over, shown) => {
    expect(judgeProbe(probe(over), 'jump')).toMatchObject(shown);
  });

  it('is asked by a script that any host runs', async () => {
    const urls = ['http://127.0.0.1:1/a b', 'http://$(id).invalid/'];
    const [command, ...args] = probeWords(urls, 3, undefined);
    const { stdout } = await promisify(execFile)(command!, args);
    const probes = readProbes({ stdout, exitCode: 0 }, urls);
    if (typeof probes === 'string') return expect(probes).toBe('it has no curl');
    expect(probes.map(({ url, status }) => [url, status])).toEqual(urls.map((url) => [url, 0]));
    expect(probes.every(({ exitCode }) => exitCode > 0)).toBe(true);
  });

  it('cannot be asked where there is no curl, or nothing is said', () => {
    expect(readProbes({ stdout: 'lacks curl\n', exitCode: 0 }, ['a'])).toBe('it has no curl');
    expect(readProbes({ stdout: 'Welcome!\n', exitCode: 1 }, ['a'])).toMatch(/does not say how a went/);
  });
});

it('an endpoint that the worker asks is told for certain where the system says so', () => {
  const url = 'https://glance.cloud:9292';
  expect(judgeUnanswered({ reason: 'ENOTFOUND' }, url)).toMatchObject({
    wrong: expect.stringContaining('glance.cloud of the endpoint'),
  });
  expect(judgeUnanswered({ reason: 'ECONNREFUSED' }, url)).toMatchObject({
    wrong: expect.stringContaining('Nothing listens'),
  });
  expect(judgeUnanswered({ reason: 'no answer in time' }, url)).toBeUndefined();
});
