import type { Command } from 'commander';
import { dataDirPaths } from '../../activities/datadir.ts';
import type { TemporalSettings } from '../../activities/temporal/settings.ts';
import type { Inventory } from '../../contracts/inventory/inventory.ts';
import { fail } from '../../core/errors/failure.ts';
import { isName } from '../../core/names.ts';
import { readRunning, type Running } from '../up/running.ts';
import type { Rackwright } from '../sdk/rackwright.ts';
import { Io } from './io.ts';

/** Options that every command understands, before or after its name. */
export interface GlobalOptions {
  readonly json?: boolean;
  readonly address?: string;
  readonly namespace?: string;
  readonly dataDir: string;
  readonly inventory?: string;
  readonly site?: string;
  readonly allowExec?: boolean;
}

/** What a command knows before it begins: its options, and what runs in the data directory. */
export class Context {
  readonly io: Io;
  readonly options: GlobalOptions;
  readonly running: Running | undefined;

  constructor(command: Command) {
    this.options = command.optsWithGlobals<GlobalOptions>();
    this.io = new Io(this.options.json === true);
    this.running = readRunning(dataDirPaths(this.options.dataDir));
  }

  /** Flag, then environment, then what runs in the data directory. */
  async settings(): Promise<TemporalSettings> {
    const { temporalSettings } = await import('../../activities/temporal/settings.ts');
    const fromRun = process.env['TEMPORAL_ADDRESS'] === undefined ? this.running : undefined;
    return temporalSettings({
      address: this.options.address ?? fromRun?.temporalAddress,
      namespace: this.options.namespace ?? fromRun?.namespace,
    });
  }

  inventoryPath(): string | undefined {
    return this.options.inventory ?? process.env['RACKWRIGHT_INVENTORY'] ?? this.running?.inventory;
  }

  /** The inventory that is meant; undefined if none is known. Throws CONTRACT_INVALID. */
  async inventory(): Promise<Inventory | undefined> {
    const path = this.inventoryPath();
    if (path === undefined) return undefined;
    const { requireInventory } = await import('../../activities/inventory/load.ts');
    return requireInventory(path, { allowExec: this.options.allowExec === true });
  }

  async requireInventory(): Promise<Inventory> {
    const inventory = await this.inventory();
    if (inventory) return inventory;
    throw fail('SITE_UNKNOWN', 'No inventory was given, and none runs here.');
  }

  /** The site that is meant: by flag, environment, the inventory given, or what runs. Throws SITE_UNKNOWN. */
  async site(): Promise<string> {
    const given = this.options.site ?? process.env['RACKWRIGHT_SITE'];
    if (given !== undefined) {
      if (isName(given)) return given;
      throw fail('INVALID_MESSAGE', 'site must be a name such as "berlin".');
    }
    if (this.options.inventory === undefined && process.env['RACKWRIGHT_INVENTORY'] === undefined) {
      if (this.running?.site !== undefined) return this.running.site;
    }
    const inventory = await this.inventory();
    if (inventory) return inventory.site;
    if (
      this.running === undefined &&
      this.options.address === undefined &&
      !process.env['TEMPORAL_ADDRESS']
    ) {
      const { root } = dataDirPaths(this.options.dataDir);
      throw fail('TEMPORAL_UNREACHABLE', `Nothing runs with ${root}, and no address is given.`);
    }
    throw fail('SITE_UNKNOWN', 'There is neither a site nor an inventory to go by.');
  }

  /** Runs with a connection to the site's system, and closes it. Throws SITE_UNKNOWN and TEMPORAL_UNREACHABLE. */
  async connected<T>(use: (rackwright: Rackwright) => Promise<T>): Promise<T> {
    const { connect } = await import('../sdk/connect.ts');
    const { Rackwright } = await import('../sdk/rackwright.ts');
    const site = await this.site();
    const { client, close } = await connect(await this.settings());
    try {
      return await use(new Rackwright(client, site));
    } finally {
      await close();
    }
  }
}
