/** One server, as its maker would list it. */
export interface MachineSpec {
  readonly name: string;
  readonly uuid: string;
  readonly mac: string;
  /** The port of this host behind which the deploy agent of the machine is reached. */
  readonly agentPort: number;
  /** Where its serial console is written. */
  readonly console: string;
  readonly memoryMiB: number;
  readonly disks: readonly MachineDisk[];
}

/** A disk by its kind; the first one is what the firmware boots. */
export interface MachineDisk {
  readonly kind: 'virtio' | 'sata' | 'nvme';
  readonly serial: string;
  readonly file: string;
}

export const OVMF = {
  code: '/usr/share/OVMF/OVMF_CODE_4M.fd',
  vars: '/usr/share/OVMF/OVMF_VARS_4M.fd',
} as const;

/** First slots of the PCI bus for what libvirt has no words for. */
const NIC_SLOT = 0x10;
const NVME_SLOT = 0x12;

/**
 * What libvirt makes the machine of: UEFI, no KVM, and QEMU's user network, in which the host is 10.0.2.2 and
 * gives the machine an address by DHCP. The network port and NVMe disks are told to QEMU itself.
 */
export function domainXml(spec: MachineSpec, nvram: string): string {
  const letters = 'abcdefgh';
  const disks = spec.disks.filter(({ kind }) => kind !== 'nvme');
  const nvmes = spec.disks.filter(({ kind }) => kind === 'nvme');
  const words = [
    '-netdev',
    `user,id=n0,hostfwd=tcp:127.0.0.1:${spec.agentPort}-:9999`,
    '-device',
    `virtio-net-pci,netdev=n0,romfile=,mac=${spec.mac},bus=pcie.0,addr=${hex(NIC_SLOT)}`,
    ...nvmes.flatMap(({ file, serial }, i) => [
      '-drive',
      `if=none,id=nvme${i},format=raw,cache=unsafe,discard=unmap,file=${file}`,
      '-device',
      `nvme,drive=nvme${i},serial=${serial},bus=pcie.0,addr=${hex(NVME_SLOT + i)}`,
    ]),
  ];
  return `<domain type='qemu' xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'>
  <name>${spec.name}</name><uuid>${spec.uuid}</uuid>
  <memory unit='MiB'>${spec.memoryMiB}</memory><vcpu>1</vcpu>
  <os>
    <type arch='x86_64' machine='q35'>hvm</type>
    <loader readonly='yes' type='pflash'>${OVMF.code}</loader>
    <nvram template='${OVMF.vars}'>${nvram}</nvram>
  </os>
  <features><acpi/><apic/></features><cpu mode='maximum'/>
  <on_poweroff>destroy</on_poweroff><on_reboot>restart</on_reboot><on_crash>destroy</on_crash>
  <devices>
    <emulator>/usr/bin/qemu-system-x86_64</emulator>
    <controller type='sata' index='0'/>
${disks
  .map(({ kind, file, serial }, i) => {
    const target = `${kind === 'virtio' ? 'vd' : 'sd'}${letters[kind === 'virtio' ? i : i + 2]}`;
    return `    <disk type='file' device='disk'><driver name='qemu' type='raw' cache='unsafe' discard='unmap'/><source file='${file}'/><target dev='${target}' bus='${kind}'/><serial>${serial}</serial></disk>`;
  })
  .join('\n')}
    <serial type='file'><source path='${spec.console}' append='on'/><target port='0'/></serial>
    <console type='file'><source path='${spec.console}' append='on'/><target type='serial' port='0'/></console>
    <memballoon model='none'/>
  </devices>
  <qemu:commandline>
${words.map((word) => `    <qemu:arg value='${word}'/>`).join('\n')}
  </qemu:commandline>
</domain>
`;
}

const hex = (slot: number): string => `0x${slot.toString(16)}`;
