/** What one pretend server is made of. */
export interface Hardware {
  readonly name: string;
  readonly uuid: string;
  readonly serial: string;
  readonly manufacturer: string;
  readonly model: string;
  readonly sockets: number;
  readonly threads: number;
  readonly cpuModel: string;
  readonly memoryMiB: number;
  readonly nics: readonly Nic[];
  readonly disks: readonly Disk[];
  readonly gpus: readonly { readonly model: string; readonly serial: string; readonly memoryMiB: number }[];
}

export interface Nic {
  /** As the operating system names it. */
  readonly name: string;
  readonly mac: string;
  /** The address that the installed system gets on it. */
  readonly address: string;
  /** What it is plugged into; null where there is no cable. */
  readonly cable: Cable | null;
}

/** The other end of a port's cable. */
export interface Cable {
  readonly switch: string;
  readonly chassisMac: string;
  readonly switchPort: string;
  /** Whether the switch speaks LLDP. */
  readonly speaks: boolean;
}

/** The domain of the switches: they tell their full names. */
export const SWITCH_DOMAIN = 'lab.example';

export interface Disk {
  readonly device: string;
  readonly serial: string;
  readonly model: string;
  readonly wwn: string;
  readonly byPath: string;
  readonly sizeBytes: number;
}

const TB = 1_000_000_000_000;
/** The model of the lab's servers. */
export const LAB_MODEL = 'GPU-8U';
export const GPU_MODEL = 'NVIDIA H100 80GB HBM3';
const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

const nvme = (index: number, serial: string, terabytes: number): Disk => ({
  device: `/dev/nvme${index}n1`,
  serial,
  model: `Lab NVMe ${terabytes}T`,
  wwn: `eui.${serial.toLowerCase()}`,
  byPath: `/dev/disk/by-path/pci-0000:0${index + 1}:00.0-nvme-1`,
  sizeBytes: terabytes * TB,
});

/** The machine type that the lab's inventory declares, and that `labHardware` is made of. */
export const LAB_MACHINE_TYPE = {
  name: 'lab-gpu-8',
  expect: {
    cpus: 128,
    memoryMiB: 1_048_576,
    gpus: { count: 8, model: GPU_MODEL },
    nics: 2,
    mounts: ['/scratch'],
    secureBoot: false,
    bootOptions: ['UEFI: Hard Disk', 'UEFI: Virtual CD', 'UEFI: PXE IPv4 *'],
  },
  tpm: 'clear',
} as const;

/** Hardware of the server with this number (1, 2, …): always the same for the same number. */
export function labHardware(index: number): Hardware {
  const number = String(index).padStart(3, '0');
  const mac = (port: number): string =>
    `52:54:01:${hex(index >> 8, 2)}:${hex(index & 255, 2)}:${hex(port, 2)}`;
  return {
    name: `node-${number}`,
    uuid: `1ab00000-0000-4000-8000-${hex(index, 12)}`,
    serial: `LAB${number}`,
    manufacturer: 'Rackwright Lab',
    model: LAB_MODEL,
    sockets: 2,
    threads: LAB_MACHINE_TYPE.expect.cpus,
    cpuModel: 'AMD EPYC 9354 32-Core Processor',
    memoryMiB: LAB_MACHINE_TYPE.expect.memoryMiB,
    nics: [0, 1].map((port) => ({
      name: `ens${port + 1}f0`,
      mac: mac(port),
      address: `127.${64 + port}.${index >> 8}.${index & 255}`,
      cable: {
        switch: `leaf-${port + 1}`,
        chassisMac: `52:54:02:00:00:${hex(port + 1, 2)}`,
        switchPort: `swp${index}`,
        speaks: true,
      },
    })),
    disks: [nvme(0, `LAB${number}ROOT`, 1), nvme(1, `LAB${number}DATA`, 4)],
    gpus: Array.from({ length: LAB_MACHINE_TYPE.expect.gpus.count }, (_, i) => ({
      model: GPU_MODEL,
      serial: `LAB${number}GPU${i}`,
      memoryMiB: 81_920,
    })),
  };
}
