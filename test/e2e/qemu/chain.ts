import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OperationReport } from '../../../core/operations.ts';
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
  /** Runs a verb for the machine by the command line. */
  ask(verb: string, ...args: string[]): Promise<{ code: number; report: OperationReport; said: string }>;
  /** As `ask`; throws where it does not pass, with all that is known. */
  pass(verb: string, ...args: string[]): Promise<OperationReport>;
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
    const product = await startProduct({
      inventory: async ({ gatewayUrl }) => {
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
        return inventoryOf(rack, machine, { gatewayUrl, iso }, options);
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
    return { machine, rack, product, ask, pass, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
