import { describe, expect, it } from 'vitest';
import { convergeBootOnce, convergeNoOverride } from '../../../activities/redfish/boot.ts';
import { convergeNoMedia } from '../../../activities/redfish/media.ts';
import { convergePower } from '../../../activities/redfish/power.ts';
import { findSystem } from '../../../activities/redfish/service.ts';
import { opened } from './fixtures.ts';
import { DVD, OLD, quick, withDvd } from './media-fixtures.ts';
import { CD, SYSTEM } from './scripted-bmc.ts';

const ROOT = '/redfish/v1';

describe('what was read a moment ago is not read again', () => {
  it('the service root, by the steps that come after one another', async () => {
    const { server, bmc } = await opened({ auth: 'basic' });
    const reads = (): number =>
      server.asked('GET').filter(({ path }) => path.replace(/\/$/, '') === ROOT).length;
    const first = await findSystem(bmc, SYSTEM);
    const second = await findSystem(bmc, SYSTEM);
    expect(reads()).toBe(1);
    expect(second.identity).toEqual(first.identity);
    expect(server.asked('GET', SYSTEM)).toHaveLength(2);

    bmc.memory.root = { ...bmc.memory.root!, at: Date.now() - 600_000 };
    await findSystem(bmc, SYSTEM);
    expect(reads()).toBe(2);
  });

  it('the system, where a look is the first thing that happens after finding it', async () => {
    const { server, bmc } = await opened();
    const reads = (): number => server.asked('GET', SYSTEM).length;
    const fast = { watchMs: 30, pollMs: 2 };

    let system = await findSystem(bmc, SYSTEM);
    await convergeBootOnce(bmc, system, 'Cd', { ...fast, seen: system });
    // Found, and after the write, two that agree.
    expect(reads()).toBe(3);

    system = await findSystem(bmc, SYSTEM);
    await convergeBootOnce(bmc, system, 'Cd', { ...fast, seen: system });
    // Found, and one that agrees.
    expect(reads()).toBe(5);

    system = await findSystem(bmc, SYSTEM);
    await convergeNoOverride(bmc, system, { ...fast, seen: system });
    expect(reads()).toBe(8);

    system = await findSystem(bmc, SYSTEM);
    await convergePower(bmc, SYSTEM, 'off', { ...fast, seen: system });
    expect(reads()).toBe(9);
  });

  it('a drive that was just listed; but another one is, once something was ejected', async () => {
    const { server, bmc, system } = await withDvd();
    for (const drive of [CD, DVD]) server.insert(drive, OLD);
    server.on('POST', `${DVD}/Eject`, () => {
      server.patch(DVD, { Image: null, Inserted: false });
      return { status: 204 };
    });
    expect(await convergeNoMedia(bmc, system, quick)).toMatchObject({ state: 'reached', changed: true });
    // Listed and, after its eject, empty; the other one was listed, still full, and then empty.
    expect([server.asked('GET', DVD).length, server.asked('GET', CD).length].sort()).toEqual([2, 3]);
  });
});
