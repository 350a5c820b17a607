import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OperationReport } from '../../../core/operations.ts';
import { Front } from '../../peers/front.ts';
import { ipaRamdisk, missingForImages } from '../../peers/qemu/images/index.ts';
import { startMachines, missingForMachines, type Machine, type Machines } from '../../peers/qemu/machines.ts';
import { runCli } from '../support/cli.ts';
import { startProduct, type Product } from '../support/product.ts';
import { agentArguments, DISKS, inventoryOf, type SiteOptions } from './site.ts';

/** One machine of QEMU with its BMC, the product beside it, and the deploy media that the product built. */
export interface Chain {
  readonly machine: Machine;
  readonly rack: Machines;
  readonly product: Product;
  /** The way from the machine to the gateway: of its agent and its guest, not of its BMC. */
  readonly toGateway: Front;
  /** Runs a verb for the machine by the command line. */
  ask(verb: string, ...args: string[]): Promise<{ code: number; report: OperationReport; said: string }>;
  /** As `ask`; throws where it does not pass, with all that is known. */
  pass(verb: string, ...args: string[]): Promise<OperationReport>;
  /** Asks the BMC below the machine's own path; throws where it refuses. */
  bmc(path: string, init?: RequestInit): Promise<Response>;
  /** What the BMC tells of the machine when an operation is over. */
  standing(): Promise<{ power: unknown; inserted: unknown }>;
  stop(): Promise<void>;
}

/** Why the chain cannot run here; undefined where it can. */
export function missingForChain(): string | undefined {
  const missing = [missingForMachines(), missingForImages()].filter((each) => each !== undefined);
  return missing.length === 0 ? undefined : missing.join(', ');
}

/** Starts all of it for a machine of this name. Stop it when done. */
export async function startChain(name: string, options: SiteOptions): Promise<Chain> {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-chain-'));
  const started: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (const each of started.splice(0).toReversed()) await each();
  };
  try {
    const { kernel, ramdisk } = await ipaRamdisk();
    const rack = await startMachines([name], DISKS);
    started.push(() => rack.stop());
    const machine = rack.machines[0]!;
    const iso = join(folder, 'base.iso');
    let toGateway!: Front;
    const product = await startProduct({
      inventory: async ({ gatewayUrl }) => {
        toGateway = await Front.start(Number(new URL(gatewayUrl).port));
        started.push(() => toGateway.stop());
        const args = [
          'media',
          'build',
          kernel,
          ramdisk,
          '--output',
          iso,
          '--append',
          agentArguments(machine),
        ];
        const built = await runCli(args, process.env);
        if (built.code !== 0) throw new Error(`media build ended with ${built.code}:\n${built.stderr}`);
        return inventoryOf(rack, machine, { gatewayUrl, machinePort: toGateway.port, iso }, options);
      },
      env: { EMULATOR_PASSWORD: rack.emulator.password },
    });
    started.push(() => product.stop());

    const ask: Chain['ask'] = async (verb, ...args) => {
      const { code, stdout, stderr } = await product.cli('node', verb, name, ...args, '--json');
      return { code, report: JSON.parse(stdout) as OperationReport, said: stderr };
    };
    const pass: Chain['pass'] = async (verb, ...args) => {
      const { code, report, said } = await ask(verb, ...args, '--on-failure', 'fail');
      if (code === 0) return report;
      const console = (await machine.said()).slice(-4_000);
      throw new Error(`${verb} of ${name} ended with ${code}:\n${said}\nits console says:\n${console}`);
    };
    const { url, username, password } = rack.emulator;
    const login = Buffer.from(`${username}:${password}`).toString('base64');
    const bmc: Chain['bmc'] = async (path, init = {}) => {
      const headers = { authorization: `Basic ${login}`, 'content-type': 'application/json' };
      const answer = await fetch(`${url}${machine.uri}${path}`, { ...init, headers });
      if (!answer.ok) throw new Error(`the BMC answers ${answer.status} to ${path || 'its system'}`);
      return answer;
    };
    const standing: Chain['standing'] = async () => {
      const read = async (path: string) => (await (await bmc(path)).json()) as Record<string, unknown>;
      const [system, media] = [await read(''), await read('/VirtualMedia/Cd')];
      return { power: system['PowerState'], inserted: media['Inserted'] };
    };
    return { machine, rack, product, toGateway, ask, pass, bmc, standing, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
