import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { labHardware } from '../../lab/hardware.ts';
import { machineOf } from '../../lab/openstack/machine.ts';
import { Server } from '../../lab/server.ts';

const dir = mkdtempSync(join(tmpdir(), 'lab-openstack-machine-'));
const server = new Server(dir, labHardware(1), { username: 'admin', password: 'secret' }, 50);
const root = server.hardware.disks[0]!.serial;
afterAll(async () => {
  await server.close();
  rmSync(dir, { recursive: true });
});

async function until(wanted: () => boolean): Promise<void> {
  for (const end = Date.now() + 20_000; !wanted(); await sleep(10))
    if (Date.now() > end)
      throw new Error(`it is not as wanted: ${JSON.stringify(server.log.entries().slice(-5))}`);
}

it('what the cloud deploys boots on the server of the lab, and is gone from it afterwards', async () => {
  const machine = machineOf(server);
  machine.deployed('one');
  await until(() =>
    server.log.entries().some(({ event, image }) => event === 'system-started' && image === 'one'),
  );
  expect(server.state.power).toBe('On');
  expect(readFileSync(server.console.path, 'utf8')).toContain('one login: ');
  machine.released();
  await until(() => server.state.power === 'Off');
  expect(server.disks.get(root).image).toBeNull();
});
