import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AUDIENCES, Tokens } from '../../../activities/tokens/tokens.ts';

const ref = { site: 'lab', node: 'node-001', requestId: 'r-1', generation: 7 };
const window = { epoch: 1, expires: 1_800_000_000 };
const tokens = new Tokens(new Uint8Array(32).fill(1));

describe('call-back tokens', () => {
  it('open for the one who made them, with every claim', () => {
    for (const audience of AUDIENCES) {
      expect(tokens.open(tokens.mint(ref, audience, window))).toEqual({ ...ref, ...window, audience });
    }
  });

  it('are the same when derived again', () => {
    expect(tokens.mint(ref, 'agent', window)).toBe(tokens.mint(ref, 'agent', window));
    expect(tokens.agentToken(ref, 1)).toBe(tokens.agentToken(ref, 1));
  });

  it('differ by audience, epoch, generation, request and node', () => {
    const all = new Set([
      tokens.mint(ref, 'agent', window),
      tokens.mint(ref, 'media', window),
      tokens.mint(ref, 'agent', { ...window, epoch: 2 }),
      tokens.mint({ ...ref, generation: 8 }, 'agent', window),
      tokens.mint({ ...ref, requestId: 'r-2' }, 'agent', window),
      tokens.mint({ ...ref, node: 'node-002' }, 'agent', window),
    ]);
    expect(all.size).toBe(6);
  });

  it('do not open with another key', () => {
    const other = new Tokens(new Uint8Array(32).fill(2));
    expect(other.open(tokens.mint(ref, 'agent', window))).toBeUndefined();
    expect(other.agentToken(ref, 1)).not.toBe(tokens.agentToken(ref, 1));
  });

  it('do not open when a character is changed, added or dropped, and never throw', () => {
    const good = tokens.mint(ref, 'agent', window);
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.string({ minLength: 0, maxLength: 2 }), (at, text) => {
        const bad = good.slice(0, at) + text + good.slice(at + 1);
        fc.pre(bad !== good);
        expect(tokens.open(bad)).toBeUndefined();
      }),
      { seed: 1, numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.string(), (text) => tokens.open(text) === undefined),
      { seed: 1 },
    );
  });

  it('have at least the 32 characters that the agent wants', () => {
    expect(tokens.agentToken(ref, 1).length).toBeGreaterThanOrEqual(32);
  });

  it('refuse a short site key', () => {
    expect(() => new Tokens(new Uint8Array(16))).toThrow(/32 bytes/);
  });
});
