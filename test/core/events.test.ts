import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failure } from '../../core/errors/failure.ts';
import { parseOperationEvent, parseOperationStart } from '../../core/events.ts';

const end = { outcome: 'pass', phase: 'active', residue: [] };
const held = { type: 'held', requestId: 'r1', phase: 'deploy-failed', failure: failure('AGENT_SILENT', 'm') };
const progress = { type: 'progress', requestId: 'r1', phase: 'deploying', step: 'erase' };

describe('what an operation tells its node', () => {
  it.each([
    progress,
    { ...progress, step: null },
    held,
    { type: 'ended', requestId: 'r1', end },
    {
      type: 'ended',
      requestId: 'r1',
      end: {
        ...end,
        outcome: 'fail',
        residue: ['media', 'power'],
        failure: failure('ERASE_FAILED', 'm'),
        power: 'off',
        health: 'OK',
        drift: true,
        retired: false,
        supports: ['power'],
      },
    },
  ])('is taken: %j', (event) => {
    expect(parseOperationEvent(event)).toEqual(event);
  });

  it.each([
    null,
    [],
    'ended',
    { type: 'ended', requestId: 'r1' },
    { ...progress, type: 'other' },
    { ...progress, requestId: 7 },
    { ...progress, phase: 'flying' },
    { ...progress, step: 'x'.repeat(301) },
    { ...held, failure: { code: 'NO_SUCH_CODE' } },
    ...[
      { outcome: 'passed' },
      { phase: 'flying' },
      { residue: 'media' },
      { residue: ['dust'] },
      { power: 'standby' },
      { health: 'x'.repeat(301) },
      { drift: 'yes' },
      { drifted: 1 },
      { drifted: 'x'.repeat(301) },
      { retired: 1 },
      { supports: ['maintenance'] },
      { failure: { code: 'BUSY' } },
    ].map((over) => ({ type: 'ended', requestId: 'r1', end: { ...end, ...over } })),
  ])('changes nothing if it is %j', (event) => {
    expect(parseOperationEvent(event)).toBeUndefined();
  });
});

describe('the input of an operation', () => {
  const input = {
    site: 'lab',
    node: 'n1',
    requestId: 'r1',
    kind: 'deploy',
    args: {},
    source: 'update',
    snapshot: { phase: 'deploying', returnTo: null, owner: null, image: null },
    generation: 1,
    residue: [],
  };

  it('is taken as the entity makes it', () => {
    expect(parseOperationStart(input)).toEqual({ ok: true, value: input });
    expect(parseOperationStart({ ...input, kind: 'cleanup', source: 'internal' })).toMatchObject({
      ok: true,
    });
  });

  it.each([
    [{ site: 'Lab' }, 'site'],
    [{ node: '' }, 'node'],
    [{ requestId: 'a/b' }, 'requestId'],
    [{ kind: 'explode' }, 'kind'],
    [{ args: null }, 'args'],
    [{ source: 'hand' }, 'source'],
    [{ snapshot: {} }, 'snapshot'],
    [{ generation: 1.5 }, 'generation'],
    [{ residue: ['dust'] }, 'residue'],
    [{ refusal: 'no' }, 'refusal'],
  ])('with %j is wrong in %s', (over, field) => {
    expect(parseOperationStart({ ...input, ...over })).toMatchObject({ ok: false, problem: { field } });
  });
});

describe('any JSON at all', () => {
  it('is an event or none, an input or a problem, and nothing throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(parseOperationEvent(value)).toBeUndefined();
        expect(parseOperationStart(value)).toMatchObject({ ok: false });
      }),
    );
  });
});
