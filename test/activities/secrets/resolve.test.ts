import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { credentialsOf } from '../../../activities/secrets/credentials.ts';
import { resolveSecret } from '../../../activities/secrets/resolve.ts';

let baseDir: string;
beforeAll(() => {
  baseDir = mkdtempSync(join(tmpdir(), 'secrets-'));
  writeFileSync(join(baseDir, 'plain'), 'from a file\n');
  writeFileSync(join(baseDir, 'crlf'), 'two\n\r\n');
  writeFileSync(join(baseDir, 'empty'), '\n');
  writeFileSync(join(baseDir, 'large'), 'x'.repeat(65_537));
});
afterAll(() => rmSync(baseDir, { recursive: true }));

const env = { PW: 'from the environment', BLANK: '', PATH: process.env['PATH'] };

describe('resolveSecret', () => {
  test.each([
    ['env:PW', 'from the environment'],
    ['file:plain', 'from a file'],
    ['file:crlf', 'two\n'],
    ['exec:echo "from $PW"', 'from from the environment'],
    ['exec:cat plain', 'from a file'],
  ])('%s', async (reference, expected) => {
    expect(await resolveSecret(reference, { env, baseDir, allowExec: true })).toBe(expected);
  });

  test('an absolute path', async () => {
    expect(await resolveSecret(`file:${join(baseDir, 'plain')}`)).toBe('from a file');
  });

  test('a blob, where there is a store', async () => {
    const blobs = { get: async (reference: string) => Buffer.from(`sealed ${reference}`) };
    expect(await resolveSecret('blob:1', { blobs })).toBe('sealed blob:1');
  });

  test.each([
    ['env:NONE', 'the environment variable is not set'],
    ['env:BLANK', 'it is empty'],
    ['file:nowhere', 'reading it failed with ENOENT'],
    ['file:.', 'reading it failed with EISDIR'],
    ['file:empty', 'it is empty'],
    ['file:large', 'the file is larger than 65536 bytes'],
    ['file:/dev/zero', 'the file is larger than 65536 bytes'],
    ['exec:echo hunter2; echo hunter2 >&2; exit 3', 'the command ended with exit code 3'],
    ['exec:head -c 70000 /dev/zero', 'the command could not be run to its end'],
    ['blob:1', 'there is no blob store here'],
  ])('%s is unresolved: %s', async (reference, why) => {
    await expect(resolveSecret(reference, { env, baseDir, allowExec: true })).rejects.toMatchObject({
      message: `The secret ${reference} could not be resolved: ${why}.`,
      failure: { code: 'SECRET_UNRESOLVED', faultDomain: 'contract' },
    });
  });

  test('a command is not run unless that is allowed', async () => {
    const mark = join(baseDir, 'ran');
    await expect(resolveSecret(`exec:touch ${mark}`)).rejects.toThrow(
      'exec: references are not allowed here',
    );
    expect(existsSync(mark)).toBe(false);
  });

  test('a value in the place of a reference is not repeated', async () => {
    const error = await resolveSecret('hunter2').catch((caught: unknown) => caught);
    expect(error).toMatchObject({ failure: { code: 'SECRET_UNRESOLVED' } });
    expect(String(error)).not.toContain('hunter2');
  });

  test('credentials: the user name may be plain or a reference', async () => {
    const options = { env: { ...env, USER_NAME: 'root' } };
    const secret = (reference: string): Promise<string> => resolveSecret(reference, options);
    expect(await credentialsOf({ username: 'admin', password: 'env:PW' }, secret)).toEqual({
      username: 'admin',
      password: 'from the environment',
    });
    expect(await credentialsOf({ username: 'env:USER_NAME', password: 'env:PW' }, secret)).toMatchObject({
      username: 'root',
    });
  });
});
