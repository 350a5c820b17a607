import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EvidenceInput } from '../../../activities/evidence/evidence-store.ts';
import { fileEvidenceStore } from '../../../activities/evidence/file-evidence-store.ts';
import { pieceNames } from '../../../activities/evidence/piece-names.ts';
import { namesIn } from '../../../activities/records/atomic-file.ts';
import { SecretSet } from '../../../activities/secrets/redact.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'evidence-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const NONE = new SecretSet();
const input = (over: Partial<EvidenceInput> = {}): EvidenceInput => ({
  site: 's1',
  node: 'n1',
  requestId: 'Req_1.a',
  step: 'power-on',
  name: 'system',
  asked: 'GET /redfish/v1/Systems/1',
  of: 'https://10.0.0.1',
  from: 'worker-1',
  answer: { PowerState: 'On' },
  at: '2026-01-02T03:04:05.000Z',
  ...over,
});
const files = (): string[] => readdirSync(join(root, 's1', 'n1', 'Req_1.a')).sort();

describe('the evidence store', () => {
  test('gives back what was put in, with its hash', async () => {
    const store = fileEvidenceStore(root);
    const ref = await store.put(input(), NONE);
    const text = readFileSync(join(root, 's1/n1/Req_1.a/0001-power-on.system.json'), 'utf8');
    expect(ref).toEqual({
      id: 's1/n1/Req_1.a/0001-power-on.system',
      name: 'system',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      bytes: text.length,
    });
    expect(await store.read(ref.id, ref.sha256)).toEqual({
      ...input(),
      id: ref.id,
      run: 1,
      sha256: ref.sha256,
    });
  });

  test('numbers pieces as they come, and lists them so', async () => {
    const store = fileEvidenceStore(root);
    const refs = [
      await store.put(input({ step: 'zeta' }), NONE),
      await store.put(input({ step: 'alpha', name: 'one' }), NONE),
      await store.put(input({ step: 'alpha', name: 'two' }), NONE),
    ];
    expect((await store.list('s1', 'n1', 'Req_1.a')).map((entry) => entry.ref)).toEqual(refs);
    expect(files()).toEqual(['0001-zeta.system.json', '0002-alpha.one.json', '0003-alpha.two.json']);
    expect(await store.list('s1', 'n1', 'other')).toEqual([]);
  });

  test('pieces put at once each get a number of their own, and the same one only one', async () => {
    const store = fileEvidenceStore(root);
    const names = ['a', 'b', 'a', 'c', 'b', 'a'];
    await Promise.all(names.map((name) => store.put(input({ name }), NONE)));
    expect(files()).toEqual(['0001-power-on.a.json', '0002-power-on.b.json', '0003-power-on.c.json']);
  });

  test('a retried put replaces its piece; another run of the step keeps its own', async () => {
    const store = fileEvidenceStore(root);
    await store.put(input(), NONE);
    await store.put(input({ name: 'other' }), NONE);
    const again = await store.put(input({ answer: 'second' }), NONE);
    const run2 = await store.put(input({ run: 2, answer: 'third' }), NONE);
    expect(files()).toEqual([
      '0001-power-on.system.json',
      '0002-power-on.other.json',
      '0003-power-on.system.r2.json',
    ]);
    expect((await store.read(again.id, again.sha256)).answer).toBe('second');
    expect(await store.read(run2.id)).toMatchObject({ answer: 'third', run: 2 });
  });

  test('many pieces of a run do not make its folder be listed for each', async () => {
    let listed = 0;
    const store = fileEvidenceStore(
      root,
      pieceNames((folder) => {
        listed += 1;
        return namesIn(folder);
      }),
    );
    const names = Array.from({ length: 200 }, (_, i) => `n${i}`);
    for (const name of names) await store.put(input({ name }), NONE);
    await store.put(input({ name: 'n7', answer: 'again' }), NONE);
    expect(listed).toBe(1);
    expect(files()).toHaveLength(200);
    expect(files().at(-1)).toBe('0200-power-on.n199.json');
    expect((await store.read('s1/n1/Req_1.a/0008-power-on.n7')).answer).toBe('again');
  });

  test('what another process has written or removed meanwhile is seen', async () => {
    const here = fileEvidenceStore(root);
    const there = fileEvidenceStore(root);
    await here.put(input({ name: 'a' }), NONE);
    await there.put(input({ name: 'b' }), NONE);
    await there.put(input({ name: 'c' }), NONE);
    // The attempt moves back: the same piece as there, and then the next number.
    await here.put(input({ name: 'b', answer: 'here' }), NONE);
    await here.put(input({ name: 'd' }), NONE);
    expect(files()).toEqual([
      '0001-power-on.a.json',
      '0002-power-on.b.json',
      '0003-power-on.c.json',
      '0004-power-on.d.json',
    ]);
    expect((await there.read('s1/n1/Req_1.a/0002-power-on.b')).answer).toBe('here');
    rmSync(join(root, 's1', 'n1', 'Req_1.a'), { recursive: true });
    await here.put(input({ name: 'd' }), NONE);
    expect(files()).toEqual(['0001-power-on.d.json']);
  });

  test('a write that fails is no reason to skip a number', async () => {
    const store = fileEvidenceStore(root);
    await store.put(input({ name: 'a' }), NONE);
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    await expect(store.put(input({ name: 'b', answer: cyclic as never }), NONE)).rejects.toThrow();
    await store.put(input({ name: 'c' }), NONE);
    expect(files()).toEqual(['0001-power-on.a.json', '0002-power-on.c.json']);
  });

  test('secrets are masked everywhere, before an answer is cut', async () => {
    const store = fileEvidenceStore(root);
    const secret = 'correct horse battery';
    // Half of the secret stands before the cut, half behind it.
    const answer = `${'x'.repeat(256 * 1024 - 12)}${secret} and more`;
    const ref = await store.put(
      input({ asked: `login ${secret}`, of: `https://h/?p=${encodeURIComponent(secret)}`, answer }),
      new SecretSet([secret]),
    );
    const text = readFileSync(join(root, `${ref.id}.json`), 'utf8');
    expect(text).not.toMatch(/correct|horse|battery/);
    const stored = await store.read(ref.id, ref.sha256);
    expect(stored.asked).toBe('login [redacted]');
    expect(stored.of).toBe('https://h/?p=[redacted]');
  });

  test('a long answer is cut and says how long it was; a long question is cut too', async () => {
    const store = fileEvidenceStore(root);
    const answer = { log: 'é'.repeat(300_000) };
    const ref = await store.put(input({ answer, asked: 'q'.repeat(100_000) }), NONE);
    const stored = await store.read(ref.id);
    expect(stored.truncatedFrom).toBe(Buffer.byteLength(JSON.stringify(answer)));
    expect(Buffer.byteLength(stored.answer as string)).toBeLessThanOrEqual(256 * 1024);
    expect(stored.answer).toMatch(/^\{"log":"é+$/);
    expect((stored.asked as string).length).toBe(64 * 1024);
  });

  test('a changed byte is reported, and so is a piece that was replaced with its hash', async () => {
    const store = fileEvidenceStore(root);
    const ref = await store.put(input(), NONE);
    const path = join(root, `${ref.id}.json`);
    const text = readFileSync(path, 'utf8');
    const altered = { failure: { code: 'EVIDENCE_ALTERED' } };
    for (const changed of [
      text.replace('"On"', '"Off"'),
      text.replace('2026', '2025'),
      text.slice(1),
      '[]',
      '',
    ]) {
      writeFileSync(path, changed);
      await expect(store.read(ref.id)).rejects.toMatchObject(altered);
      expect((await store.list('s1', 'n1', 'Req_1.a')).map((entry) => entry.altered)).toEqual([true]);
    }
    const other = await store.put(input({ answer: 'forged' }), NONE);
    expect((await store.read(other.id)).answer).toBe('forged');
    await expect(store.read(ref.id, ref.sha256)).rejects.toMatchObject(altered);
  });

  test('the same hash whatever the order of keys', async () => {
    const store = fileEvidenceStore(root);
    const a = await store.put(input({ answer: { a: 1, b: 2 } }), NONE);
    const b = await store.put(input({ answer: { b: 2, a: 1 } }), NONE);
    expect(b).toEqual(a);
  });

  test.each([
    [{ site: '..' }],
    [{ node: 'a/b' }],
    [{ requestId: '../../x' }],
    [{ step: '../x' }],
    [{ name: 'a.b/c' }],
    [{ name: '' }],
    [{ run: 0 }],
    [{ run: 1.5 }],
  ])('%j is refused and touches no file', async (over) => {
    const store = fileEvidenceStore(root);
    await expect(store.put(input(over), NONE)).rejects.toMatchObject({
      failure: { code: 'STORE_NAME_INVALID' },
    });
    expect(readdirSync(root)).toEqual([]);
  });

  test.each([
    ['s1/n1/r/0001-a.b', 'EVIDENCE_UNKNOWN'],
    ['s1/n1/r/../../../etc/passwd', 'STORE_NAME_INVALID'],
    ['../n1/r/0001-a.b', 'STORE_NAME_INVALID'],
    ['s1/n1/r/0001-..', 'STORE_NAME_INVALID'],
    ['s1/n1/r', 'STORE_NAME_INVALID'],
    ['', 'STORE_NAME_INVALID'],
  ])('reading %j: %s', async (id, code) => {
    await expect(fileEvidenceStore(root).read(id)).rejects.toMatchObject({ failure: { code } });
  });
});
