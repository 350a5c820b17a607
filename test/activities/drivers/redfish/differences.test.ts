import { describe, expect, it } from 'vitest';
import { effectiveNode } from '../../../../contracts/inventory/effective.ts';
import { Inventory } from '../../../../contracts/inventory/inventory.ts';
import {
  contractDifferences,
  type InspectionDigest,
} from '../../../../activities/drivers/redfish/differences.ts';

const inventory = Inventory.parse({
  site: 's',
  machineTypes: [
    {
      name: 't',
      expect: {
        cpus: 128,
        memoryMiB: 1_048_576,
        gpus: { count: 2, model: 'H100' },
        disks: [{ minBytes: 1000, count: 2 }],
      },
    },
  ],
  nodes: [{ name: 'n', type: 't', ports: [{ mac: '52:54:00:00:00:01' }, { mac: '52:54:00:00:00:02' }] }],
});
const node = effectiveNode(inventory, 'n');
const good: InspectionDigest = {
  power: 'off',
  health: 'OK',
  serialNumber: 'S',
  bootMode: 'UEFI',
  threads: 128,
  memoryGiB: 1024,
  gpus: ['NVIDIA H100 80GB', 'NVIDIA-H100'],
  driveBytes: [1000, 2000],
  macs: ['52:54:00:00:00:01', '52:54:00:00:00:02'],
  unread: [],
};

describe('an inspection against the contract', () => {
  it('that fits has no differences', () => {
    expect(contractDifferences(good, node)).toEqual({ differences: [], untold: [] });
  });

  it('names each thing that differs', () => {
    const { differences } = contractDifferences(
      {
        ...good,
        threads: 64,
        memoryGiB: 512,
        gpus: ['H100'],
        driveBytes: [1000, 10],
        macs: ['aa:bb:cc:00:00:01'],
      },
      node,
    );
    expect(differences).toEqual([
      '128 CPUs expected, 64 seen',
      '1048576 MiB of memory expected, 512 GiB seen',
      '2 GPUs H100 expected, seen: H100',
      '2 disks of at least 1000 bytes expected, 1 seen',
      'ports 52:54:00:00:00:01, 52:54:00:00:00:02 expected, aa:bb:cc:00:00:01 seen',
    ]);
  });

  it('takes what the BMC does not show for untold, not for missing', () => {
    const seen = {
      ...good,
      threads: null,
      memoryGiB: null,
      gpus: [],
      driveBytes: [],
      macs: ['52:54:00:00:00:01'],
    };
    expect(contractDifferences(seen, node)).toEqual({
      differences: [],
      untold: ['CPU threads', 'memory', 'GPUs', 'disks', 'ports 52:54:00:00:00:02'],
    });
  });
});
