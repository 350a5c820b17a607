import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OperationReport } from '../../core/operations.ts';
import { codeBlocks } from '../docs/code-blocks.ts';
import { pythonWithTemporal } from '../peers/python.ts';
import { createLocalEnvironment } from '../support/temporal.ts';
import { House, NODE, SITE } from '../workflows/support.ts';

// The code of the how-to, as it stands there, is what another service does.
const HOW_TO = 'docs/how-to/signals-from-other-services.md';

let house: House;
let python: string;
let folder: string;

beforeAll(async () => {
  python = await pythonWithTemporal();
  folder = await mkdtemp(join(tmpdir(), 'rackwright-python-'));
  const programs = codeBlocks(HOW_TO, 'python');
  expect(programs).toHaveLength(1);
  await writeFile(join(folder, 'reimage.py'), programs[0]!);
  house = await House.build(await createLocalEnvironment());
  house.answerCallbacks();
  await house.makeAvailable();
  await house.run('deploy', { image: 'a', owner: 'team-a' });
});

afterAll(async () => {
  await house.close();
  await house.environment.teardown();
  await rm(folder, { recursive: true, force: true });
});

interface Answer {
  readonly exit: number;
  readonly report: OperationReport;
}

/** Runs the how-to's program with a request. */
function reimage(request: object): Promise<Answer> {
  const env = { ...process.env, TEMPORAL_ADDRESS: house.environment.address };
  const args = [join(folder, 'reimage.py'), SITE, NODE, JSON.stringify(request)];
  return new Promise((resolve, reject) => {
    execFile(python, args, { env, timeout: 90_000 }, (error, stdout, stderr) => {
      // Ended by a signal or by the time-out, a program has no exit code: that is not 0.
      if (stdout === '' || error?.signal) return reject(new Error(stderr || String(error)));
      resolve({ exit: Number(error?.code ?? 0), report: JSON.parse(stdout) as OperationReport });
    });
  });
}

const written = (): number => house.driver.calls.filter((step) => step === 'write-image').length;

describe('a service in Python', () => {
  it('asks for a re-image by signal-with-start and awaits its verdict', async () => {
    const { exit, report } = await reimage({ requestId: 'order-1', image: 'b' });
    expect(report).toMatchObject({ requestId: 'order-1', kind: 'reimage', outcome: 'pass', phase: 'active' });
    expect(exit).toBe(0);
    expect(await house.state()).toMatchObject({ phase: 'active', owner: 'team-a', image: 'b' });
  });

  it('asks again with the same requestId and gets the same operation', async () => {
    const before = written();
    const { report } = await reimage({ requestId: 'order-1', image: 'b' });
    expect(report).toMatchObject({ requestId: 'order-1', outcome: 'pass' });
    expect(written()).toBe(before);
  });

  it('is answered by an operation that failed, with the reason, when its message is wrong', async () => {
    const { exit, report } = await reimage({ requestId: 'order-2', image: 'b', colour: 'red' });
    expect(report).toMatchObject({
      requestId: 'order-2',
      outcome: 'fail',
      failure: { code: 'INVALID_MESSAGE', message: expect.stringContaining('colour') },
    });
    expect(exit).toBe(1);
    expect(await house.state()).toMatchObject({ phase: 'active', image: 'b', operation: null });
  });

  it('starts the entity that does not run, which goes on from its record', async () => {
    await house.entity().terminate('a power cut');
    const { report } = await reimage({ requestId: 'order-3', image: 'a' });
    expect(report).toMatchObject({ outcome: 'pass', phase: 'active' });
    expect(await house.state()).toMatchObject({ owner: 'team-a', image: 'a' });
  });
});
