import { describe, expect, it } from 'vitest';
import { judgeReach, type Reached } from '../../../core/reachability/judge.ts';

const wanted = (over: Partial<Reached> = {}): Reached => ({
  probe: { host: '10.0.0.5', port: 22 },
  what: 'a guest',
  owner: 'first-boot',
  way: 'tenant-network',
  ...over,
});
const at = (outcome: string, status?: number, over: Partial<Reached> = {}) => {
  const one = wanted(over);
  return judgeReach(
    'vantage point desk',
    [one],
    [{ probe: one.probe, outcome, ...(status === undefined ? {} : { status }) }],
  );
};
const NOTHING = { wrong: [], silent: [], nameless: [], unable: [] };

describe('what was reached', () => {
  it.each([
    ['a port that takes the connection', 'open', undefined],
    ['a service that answers', 'answered', 200],
    ['one that wants to know who asks', 'answered', 401],
    ['one that has nothing at that path', 'answered', 404],
    ['one that sends elsewhere', 'answered', 302],
  ])('%s', (_what, outcome, status) => {
    expect(at(outcome, status)).toEqual(NOTHING);
  });
});

describe('what is wrong for certain', () => {
  it.each([
    ['refused', 'first-boot', 'a guest (10.0.0.5:22) refuses the connection from vantage point desk'],
    [
      'untrusted',
      'first-boot',
      'a guest (10.0.0.5:22) shows a certificate that vantage point desk does not trust',
    ],
    ['no TLS', 'first-boot', 'a guest (10.0.0.5:22) speaks no TLS'],
    ['ENOTFOUND', 'tenant-network', 'The name 10.0.0.5 of a guest (10.0.0.5:22) has no address'],
    ['EHOSTUNREACH', 'tenant-network', 'it has no route to it, or nobody has that address'],
    ['ENETUNREACH', 'tenant-network', 'it has no route to it'],
    ['EACCES', 'tenant-network', 'by its own firewall'],
  ])('%s is of %s', (outcome, faultDomain, message) => {
    const { wrong, ...rest } = at(outcome);
    expect(wrong).toEqual([
      {
        faultDomain,
        message: expect.stringContaining(message) as string,
        correction: expect.any(String) as string,
      },
    ]);
    expect({ ...rest, wrong: [] }).toEqual(NOTHING);
  });
});

describe('what cannot be told', () => {
  it.each([
    ['silent', undefined, { silent: ['a guest (10.0.0.5:22)'] }],
    ['ECONNRESET', undefined, { silent: ['a guest (10.0.0.5:22): ECONNRESET'] }],
    ['TLS failed', undefined, { silent: ['a guest (10.0.0.5:22): TLS failed'] }],
    ['EAI_AGAIN', undefined, { nameless: ['a guest (10.0.0.5:22)'] }],
    ['answered', 503, { unable: ['a guest (10.0.0.5:22): HTTP 503'] }],
    ['answered', 500, { unable: ['a guest (10.0.0.5:22): HTTP 500'] }],
  ])('%s %s', (outcome, status, expected) => {
    expect(at(outcome, status)).toEqual({ ...NOTHING, ...expected });
  });

  it('what was not tried at all', () => {
    expect(judgeReach('the worker', [wanted()], [])).toEqual({
      ...NOTHING,
      silent: ['a guest (10.0.0.5:22): not tried'],
    });
  });

  it('a URL is shown without its query', () => {
    const probe = { url: 'https://c.example/console?token=s3cret' };
    expect(at('silent', undefined, { probe, what: 'a console' }).silent).toEqual([
      'a console (https://c.example/console)',
    ]);
  });
});
