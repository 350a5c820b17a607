import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { agentOf } from '../../../../activities/drivers/redfish/agent-steps.ts';
import type { RackwrightError } from '../../../../core/errors/failure.ts';
import { startBench, type Bench, type Running } from './bench.ts';

/** The switch ports of the contract against what BMC and agent hear, over the lab's real HTTP. */
let bench: Bench;
beforeAll(async () => {
  bench = await startBench({ servers: 1 });
});
afterAll(() => bench.close());

const NODE = 'node-001';
const [FIRST, LAST] = ['52:54:01:00:01:00', '52:54:01:00:01:01'];
let operation: Running;
afterEach(async () => {
  await clear();
  await operation.settle();
  operation.end();
});

const clear = () => fetch(`${bench.lab.controlUrl}/servers/${NODE}/faults`, { method: 'DELETE' });
const deploy = async (faults: object, until?: string): Promise<Running> => {
  await bench.faults(NODE, faults);
  operation = bench.begin('deploy', NODE, { image: bench.inventory.images[0]!.name });
  if (until !== undefined) await operation.run(until);
  return operation;
};
const failure = async (step: string) => {
  const error = await operation.step(step).then(
    () => undefined,
    (thrown: unknown) => thrown as RackwrightError,
  );
  return error!.failure;
};
/** How often the agent of this boot was given a command. */
const commandsOf = async (name: string): Promise<number> => {
  const commands = await agentOf(operation.context('check-network'))!.commands();
  return commands.filter((command) => command.name === name).length;
};

describe('before the agent is booted', () => {
  it('the BMC shows by LLDP that the ports are where the contract says, and nothing attaches them', async () => {
    await deploy({}, 'attach-network');
    expect(operation.outputs.get('attach-network')!.summary).toBe(
      'By LLDP of the BMC 2 of 2 ports are where the contract says; ' +
        'no switch driver is configured: switch ports are taken to be set up as the contract says',
    );
    expect(bench.evidence.get(`${operation.ref.requestId}/attach-network/cabling`)).toMatchObject([
      { mac: FIRST, verdict: 'fits', expected: 'switch leaf-1 port swp1' },
      { mac: LAST, verdict: 'fits', expected: 'switch leaf-2 port swp1' },
    ]);
  });

  it('a cable in the wrong port is named, with where it is and where it belongs', async () => {
    await deploy({ cableInWrongPort: true }, 'preflight');
    expect(await failure('attach-network')).toMatchObject({
      code: 'CABLING_MISMATCH',
      faultDomain: 'provisioning-network',
      retryable: false,
      message:
        `Ports in the wrong place: ${FIRST} belongs to switch leaf-1 port swp1, ` +
        'and LLDP shows switch leaf-1.lab.example (52:54:02:00:00:01) port swp64.',
      details: { ports: [{ mac: FIRST, verdict: 'differs' }] },
    });
    await clear();
    await operation.step('attach-network');
  });

  it.each(['bmcHidesLldp', 'noLldp'])('a BMC that shows nothing (%s) is no failure', async (fault) => {
    await deploy({ [fault]: true }, 'attach-network');
    expect(operation.outputs.get('attach-network')!.summary).toMatch(
      /^The BMC shows no LLDP of the ports; no switch/,
    );
  });

  it('no link is no failure yet', async () => {
    await deploy({ noLink: true }, 'attach-network');
    expect(operation.outputs.get('attach-network')!.summary).toContain('1 of 2 ports');
  });
});

describe('what the agent hears', () => {
  it('is compared with the contract, and asked for once', async () => {
    await deploy({}, 'check-network');
    expect(operation.outputs.get('check-network')!.summary).toBe('2 of 2 ports are where the contract says');
    expect(await commandsOf('get_hardware_info')).toBe(1);
  });

  it('shows a cable in the wrong port where the BMC shows nothing, and that it was mended', async () => {
    await deploy({ cableInWrongPort: true, bmcHidesLldp: true }, 'check-hardware');
    expect(await failure('check-network')).toMatchObject({
      code: 'CABLING_MISMATCH',
      message: expect.stringContaining(`${FIRST} belongs to switch leaf-1 port swp1, and LLDP shows`),
    });
    await clear();
    const { summary } = await operation.step('check-network');
    expect(summary).toBe('2 of 2 ports are where the contract says');
  });

  it('shows a port without link', async () => {
    await deploy({ noLink: true }, 'check-hardware');
    expect(await failure('check-network')).toMatchObject({
      code: 'LINK_DOWN',
      faultDomain: 'provisioning-network',
      message: `The agent sees no link on ${LAST} (switch leaf-2 port swp1).`,
    });
  });

  it('is looked for once more where nothing was told, and no failure then', async () => {
    await deploy({ noLldp: true }, 'check-network');
    expect(operation.outputs.get('check-network')!.summary).toBe(
      `0 of 2 ports are where the contract says; not told by LLDP: ${FIRST}, ${LAST}`,
    );
    expect(await commandsOf('get_hardware_info')).toBe(2);
  });
});
