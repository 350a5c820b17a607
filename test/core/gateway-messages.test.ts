import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAgentHeartbeat, parseAgentLookup, parseFirstBoot } from '../../core/gateway-messages.ts';

const heartbeat = {
  epoch: 1,
  callbackUrl: 'https://10.0.0.5:9999',
  certificate: '-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n',
  version: '13.0.0',
};
const lookup = { epoch: 2, macs: ['52:54:00:aa:01:01'] };

describe('what the gateway says of an agent', () => {
  it('is taken as it is', () => {
    expect(parseAgentLookup(lookup)).toEqual({ ok: true, value: lookup });
    expect(parseAgentHeartbeat(heartbeat)).toEqual({ ok: true, value: heartbeat });
  });

  it.each([
    [{ epoch: 0 }, 'epoch'],
    [{ epoch: 1.5 }, 'epoch'],
    [{ epoch: '1' }, 'epoch'],
    [{ macs: ['52:54:00:AA:01:01'] }, 'macs'],
    [{ macs: '52:54:00:aa:01:01' }, 'macs'],
    [{ macs: Array.from({ length: 257 }, () => '52:54:00:aa:01:01') }, 'macs'],
    [{ extra: 1 }, 'extra'],
  ])('lookup with %j: %s is wrong', (over, field) => {
    expect(parseAgentLookup({ ...lookup, ...over })).toMatchObject({ ok: false, problem: { field } });
  });

  it.each([
    [{ callbackUrl: 'http://10.0.0.5:9999' }, 'callbackUrl'],
    [{ callbackUrl: `https://${'a'.repeat(501)}` }, 'callbackUrl'],
    [{ certificate: 'none' }, 'certificate'],
    [{ version: '<b>' }, 'version'],
    [{ version: undefined }, 'version'],
  ])('heartbeat with %j: %s is wrong', (over, field) => {
    expect(parseAgentHeartbeat({ ...heartbeat, ...over })).toMatchObject({ ok: false, problem: { field } });
  });
});

describe('what a guest reports', () => {
  it('is any JSON object of up to 16 KB, and the moment that the gateway adds', () => {
    expect(parseFirstBoot({ hostname: 'n1', gpus: [] })).toMatchObject({ ok: true });
    const room = 16 * 1024 + 64 - JSON.stringify({ a: '' }).length;
    expect(parseFirstBoot({ a: 'x'.repeat(room) })).toMatchObject({ ok: true });
    expect(parseFirstBoot({ a: 'x'.repeat(room + 1) })).toMatchObject({ ok: false });
  });

  it.each([null, undefined, [], 'x', 1])('is not %j', (value) => {
    expect(parseFirstBoot(value)).toMatchObject({ ok: false });
  });
});

describe('any JSON at all', () => {
  it('gives a value or a problem, and never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) =>
        [parseAgentLookup, parseAgentHeartbeat, parseFirstBoot].every(
          (parse) => typeof parse(value).ok === 'boolean',
        ),
      ),
    );
  });
});
