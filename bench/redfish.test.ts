import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeAllBmcs } from '../activities/redfish/transport.ts';
import { startBench, until, type Bench } from '../test/activities/drivers/redfish/bench.ts';
import { Conductor, type LabImage } from '../test/e2e/ironic-lab/conductor.ts';
import { changesServer, countRequests, kindOf, type Asked, type Counted } from './requests.ts';
import { bySteps, comparison } from './tables.ts';

/**
 * One deploy by our driver and one by Ironic: of the same server of a lab, with the same image, from off to the
 * installed system. What its BMC was asked by each is counted, and printed beside each other.
 */
const NODE = 'node-001';

let bench: Bench;
let ironic: Conductor;
let counted: Counted;

beforeAll(async () => {
  bench = await startBench({ servers: 1, speed: 5 });
  const { bmc } = bench.inventory.nodes.find(({ name }) => name === NODE)!;
  counted = countRequests(Number(new URL(bmc!.address).port));
  ironic = await Conductor.start(bench.lab.inventory);
});
afterAll(async () => {
  counted?.stop();
  await ironic?.stop();
  await bench?.close();
});

it('writes no more to a BMC than Ironic does', async () => {
  const image = ironic.images[0]!;
  const theirs = await deployByIronic(image);
  const steps = await deployByUs(image);
  const ours = [...steps.values()].flat();

  console.log(`\nOne deploy of ${image.name} to ${NODE}: what its BMC was asked\n`);
  console.log(`${comparison(ours, theirs)}\n\n${bySteps(steps)}\n`);

  expect(ours.filter(changesServer).length).toBeLessThanOrEqual(theirs.filter(changesServer).length);
  const sessions = (kind: string): number => ours.filter((asked) => kindOf(asked) === kind).length;
  expect(sessions('log in')).toBeGreaterThan(0);
  expect(sessions('log out')).toBe(sessions('log in'));
});

/** Ironic keeps the session that it opened when it first spoke to the BMC: that login counts, too. */
async function deployByIronic(image: LabImage): Promise<Asked[]> {
  const uuid = await ironic.enroll(NODE, {
    automated_clean: false,
    bios_interface: 'no-bios',
    firmware_interface: 'no-firmware',
  });
  await ironic.provision(uuid, 'manage', 'manageable');
  // Makes the ports by which the agent is known.
  await ironic.provision(uuid, 'inspect', 'manageable');
  await ironic.provision(uuid, 'provide', 'available');
  await ironic.give(uuid, image);
  const login = counted.take().filter((asked) => kindOf(asked) === 'log in');

  await ironic.provision(uuid, 'active', 'active', { configdrive: { meta_data: { hostname: NODE } } });
  const asked = [...login, ...counted.take()];
  await expectRunning(image);
  await ironic.provision(uuid, 'deleted', 'available');
  counted.take();
  return asked;
}

async function deployByUs(image: LabImage): Promise<Map<string, Asked[]>> {
  expect((await bench.server(NODE)).power).toBe('Off');
  const deploy = bench.begin('deploy', NODE, { image: image.name });
  const steps = new Map<string, Asked[]>();
  for (const { id, awaits } of deploy.steps) {
    if (awaits === 'agent')
      await until('a deploy agent', () => bench.operations.state.get(NODE)?.certificate ?? undefined);
    if (awaits === 'first-boot') await until('a first boot', () => bench.operations.reports[0]);
    await deploy.step(id);
    steps.set(id, counted.take());
  }
  await expectRunning(image);
  await closeAllBmcs();
  return steps.set('(the session is given back)', counted.take());
}

/** The server runs what was written, with nothing of the deploy left in its drives. */
async function expectRunning(image: LabImage): Promise<void> {
  const { power, running, media, disks } = await bench.server(NODE);
  expect([power, running?.from]).toEqual(['On', 'disk']);
  expect(disks[0]?.image?.digest).toBe(image.checksum);
  expect(Object.values(media).some(({ inserted }) => inserted)).toBe(false);
}
