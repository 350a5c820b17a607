import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fail } from '../../core/errors/failure.ts';
import type { OperationReport } from '../../core/operations.ts';
import { createTimeSkippingEnvironment } from '../support/temporal.ts';
import { House, INVENTORY, timerSummaries, until } from './support.ts';

let house: House;

beforeAll(async () => {
  house = await House.build(await createTimeSkippingEnvironment());
  // Where days are skipped, each look of the second witness takes real time.
  house.watchMs = 30 * 86_400_000;
  house.answerCallbacks();
  for (const node of ['n1', 'n2', 'n3']) await house.makeAvailable(node);
}, 240_000);

afterAll(async () => {
  await house.close();
  await house.environment.teardown();
});

async function historyLength(requestId: string, node: string): Promise<number> {
  const { historyLength: length } = await house.operation(requestId, node).describe();
  return length;
}

describe('time', () => {
  it('of the deadline stands still while held, for days, and the history does not grow', async () => {
    let broken = true;
    house.driver.script['preflight'] = async () => {
      if (broken) throw fail('FIRST_BOOT_SILENT', 'scripted');
      return undefined;
    };
    await house.send('deploy', { image: 'a', requestId: 'patient', deadline: '2h' });
    await until(async () => (await house.state()).operation?.held === true);
    const length = await historyLength('patient', 'n1');
    await house.environment.sleep('6 days');
    expect((await house.state()).operation?.held).toBe(true);
    expect(await historyLength('patient', 'n1')).toBe(length);
    broken = false;
    await house.send('resume');
    expect((await house.result('patient')).outcome).toBe('pass');
    delete house.driver.script['preflight'];
  });

  it('of a hold ends it with the reason it was held for, and the deadline that is left is kept', async () => {
    house.inventory = { ...INVENTORY, holdFor: 21 * 86_400 };
    house.driver.script['preflight'] = async () => {
      throw fail('FIRST_BOOT_SILENT', 'scripted');
    };
    await house.send('deploy', { image: 'a', requestId: 'forgotten' }, 'n2');
    await until(async () => (await house.state('n2')).operation?.held === true);
    await house.environment.sleep('20 days');
    expect((await house.state('n2')).operation?.held).toBe(true);
    await house.environment.sleep('2 days');
    const report = await house.result('forgotten', 'n2');
    expect(report).toMatchObject({
      outcome: 'fail',
      phase: 'deploy-failed',
      failure: { code: 'HOLD_EXPIRED', faultDomain: 'first-boot' },
    });
    expect(report.failure!.message).toContain('FIRST_BOOT_SILENT');
    delete house.driver.script['preflight'];
    house.inventory = INVENTORY;
    await until(async () => (await house.state('n2')).operation === null);
  });

  it('that a guest had passes, and the last words of its console are told with the failure', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rackwright-console-'));
    const nodes = INVENTORY.nodes.map((node) => ({ ...node, console: { file: join(folder, node.name) } }));
    house.inventory = { ...INVENTORY, nodes };
    await writeFile(join(folder, 'n2'), 'GRUB\n<b>VFS</b>: no root\n');
    const { script } = house.driver;
    const bootDisk = script['boot-disk']!;
    delete script['boot-disk'];
    const silent = async (requestId: string, node: string): Promise<OperationReport> => {
      await house.send('deploy', { image: 'a', requestId, onFailure: 'fail' }, node);
      await until(async () =>
        (await house.progress(requestId, node)).steps.some(
          ({ id, state }) => id === 'await-first-boot' && state === 'waiting',
        ),
      );
      await house.environment.sleep('31 minutes');
      return house.result(requestId, node);
    };
    const told = await silent('panicked', 'n2');
    const message = `Wait for the guest's first boot: nothing was heard for 1800 s. Its console ends with: "GRUB", then "<b>VFS</b>: no root".`;
    expect(told).toMatchObject({ outcome: 'fail', failure: { code: 'FIRST_BOOT_SILENT', message } });
    expect(told.steps.find(({ id }) => id === 'await-first-boot')).toMatchObject({
      failure: { message },
      evidence: [{ name: 'failing-state' }, { name: 'console' }],
    });
    const untold = await silent('unread', 'n3');
    expect(untold.failure!.message).toBe("Wait for the guest's first boot: nothing was heard for 1800 s.");
    expect(untold.notes.join('\n')).toContain('The console could not be read');
    script['boot-disk'] = bootDisk;
    house.inventory = INVENTORY;
    for (const node of ['n2', 'n3']) {
      await until(async () => (await house.state(node)).operation === null);
      expect((await house.run('release', {}, node)).outcome).toBe('pass');
    }
  });

  it('brings the clean-up of a residue that could not be removed; until then it blocks deploy', async () => {
    house.driver.stuck = ['media'];
    house.driver.script['write-image'] = async () => {
      throw fail('FIRST_BOOT_SILENT', 'scripted');
    };
    const report = await house.run('deploy', { image: 'a', requestId: 'left' }, 'n3');
    expect(report).toMatchObject({ outcome: 'fail', residue: ['media'] });
    expect(await house.state('n3')).toMatchObject({ phase: 'deploy-failed', residue: ['media'] });
    const refused = await house
      .send('deploy', { image: 'a' }, 'n3')
      .catch((e: { cause: unknown }) => e.cause);
    expect(refused).toMatchObject({ type: 'RESIDUE', message: expect.stringContaining('media') });

    // A verb that knows nothing of it passes, and does not make it forgotten.
    expect((await house.run('decommission', { requestId: 'gone' }, 'n3')).residue).toEqual([]);
    expect(house.driver.calls).toContain('eject-media');
    delete house.driver.script['write-image'];
  });

  it('retries by itself, again and again, and clears the flag once it is gone', async () => {
    house.driver.stuck = ['media'];
    house.driver.script['write-image'] = async () => {
      throw fail('FIRST_BOOT_SILENT', 'scripted');
    };
    await house.run('reimage', { image: 'a', requestId: 'left-2' }, 'n1');
    expect(await house.state('n1')).toMatchObject({ residue: ['media'] });
    delete house.driver.script['write-image'];
    // Another operation that does not touch it carries it on.
    house.driver.script['connect'] = async () => {
      throw fail('FIRST_BOOT_SILENT', 'scripted');
    };
    expect((await house.run('reimage', { image: 'a', requestId: 'carries' }, 'n1')).residue).toEqual([
      'media',
    ]);
    delete house.driver.script['connect'];
    const settled = house.driver.settled.length;
    await until(async () => (await timerSummaries(house.entity('n1'))).length > 0);
    expect((await timerSummaries(house.entity('n1'))).at(-1)).toBe('Look again at media');
    await house.environment.sleep('16 minutes');
    await until(() => house.driver.settled.length > settled);
    await until(async () => (await house.state('n1')).operation === null);
    expect(house.driver.settled.at(-1)).toEqual(['media']);
    expect(await house.state('n1')).toMatchObject({ phase: 'deploy-failed', residue: ['media'] });
    expect((await house.records.read('test', 'n1'))?.residue).toEqual(['media']);
    house.driver.stuck = [];
    await house.environment.sleep('16 minutes');
    await until(async () => (await house.state('n1')).residue.length === 0);
    expect((await house.state('n1')).phase).toBe('deploy-failed');
  });
});
