import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import { endpointRemoved } from '../../peers/openstack/faults.ts';
import type { OpenStackPeer } from '../../peers/openstack/peer.ts';
import * as s from '../../peers/openstack/site.ts';
import { shownFailing } from '../../support/shown.ts';
import { Base, HOST } from './bench.ts';

/** Keystone and Glance, of a cloud that has no Nova and no Neutron. */
export function gate3Small(cloud: () => OpenStackPeer): void {
  describe('gate 3', () => {
    const base = new Base(3);
    const shown = shownFailing('OpenStack 2026.1', ['openstack-endpoints', 'migrations', 'image-round-trip']);
    beforeAll(() => base.open());
    afterAll(() => base.close());

    /** A database beside that of Keystone, which its status command is asked about. */
    const database = (): string => join(cloud().folder, 'asked.sqlite');
    const contract = (): Inventory => {
      const [, file] = cloud().configArguments('keystone');
      const config = join(cloud().folder, 'asked.conf');
      const other = `connection = sqlite:///${database()}`;
      writeFileSync(config, readFileSync(file!, 'utf8').replace(/^connection = .*$/m, other));
      const command = (program: string, args: string[], ...ends: string[]): string[] => [
        cloud().program(program),
        ...args,
        ...ends,
      ];
      return base.contract(cloud(), {
        services: ['identity', 'image', 'baremetal'],
        commands: [
          {
            service: 'identity',
            from: HOST,
            command: command('keystone-manage', ['--config-file', config], 'db_sync', '--check'),
          },
          {
            service: 'image',
            from: HOST,
            command: command('glance-manage', cloud().configArguments('glance'), 'db', 'check'),
          },
          {
            service: 'baremetal',
            from: HOST,
            command: command('ironic-status', cloud().configArguments('ironic-api'), 'upgrade', 'check'),
          },
        ],
      });
    };
    const migrated = async (): Promise<void> => {
      for (const end of ['', '-wal', '-shm']) rmSync(`${database()}${end}`, { force: true });
      copyFileSync(s.state({ folder: cloud().folder } as s.Site, 'keystone.sqlite'), database());
    };

    it('has no endpoint of Ironic in the catalogue', async () => {
      await migrated();
      await base.failing(
        contract(),
        'openstack-endpoints',
        /no public endpoint .*of Ironic/,
        () => endpointRemoved(cloud(), 'ironic'),
        { code: 'OPENSTACK_ENDPOINT_MISSING' },
      );
      shown('openstack-endpoints');
    });

    it('has nobody listening at an endpoint', async () => {
      await migrated();
      await base.failing(contract(), 'openstack-endpoints', /Nothing listens at the endpoint/, async () => {
        await cloud().stop('ironic-api');
        return () => cloud().start('ironic-api');
      });
    });

    it('has a database without a schema', async () => {
      await base.failing(
        contract(),
        'migrations',
        /Keystone, asked at vantage point control-host: its database is to be expanded/,
        async () => {
          for (const end of ['', '-wal', '-shm']) rmSync(`${database()}${end}`, { force: true });
          return migrated;
        },
      );
      shown('migrations');
    });

    it('has no room for an image in the quota of a user', async () => {
      await migrated();
      await base.failing(contract(), 'image-round-trip', /does not store the image: .*quota/i, async () => {
        const [, file] = cloud().configArguments('glance');
        const before = readFileSync(file!, 'utf8');
        const restart = async (config: string): Promise<void> => {
          writeFileSync(file!, config);
          await cloud().stop('glance');
          await cloud().start('glance');
        };
        await restart(before.replace('[DEFAULT]', '[DEFAULT]\nuser_storage_quota = 1MB'));
        return () => restart(before);
      });
      shown('image-round-trip');
    });
  });
}
