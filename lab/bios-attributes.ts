import { TPM_ATTRIBUTE } from './state.ts';

/** What the firmware of a server knows of one of its attributes. */
export interface LabAttribute {
  readonly title: string;
  readonly type: 'Enumeration' | 'Integer' | 'String' | 'Password';
  readonly values?: readonly string[];
  readonly lower?: number;
  readonly upper?: number;
  readonly maxLength?: number;
  readonly readOnly?: true;
  /** Asks for an action, and reverts. */
  readonly writeOnly?: true;
  /** Read-only unless another attribute has this value. */
  readonly onlyWith?: readonly [attribute: string, value: string];
}

const SWITCH = ['Enabled', 'Disabled'];

/** The attributes of every server's BIOS. */
export const BIOS_ATTRIBUTES: { readonly [name: string]: LabAttribute } = {
  BootMode: { title: 'Boot Mode', type: 'Enumeration', values: ['Uefi', 'Bios'] },
  ProcVirtualization: { title: 'Virtualization Technology', type: 'Enumeration', values: SWITCH },
  LogicalProc: { title: 'Logical Processor', type: 'Enumeration', values: SWITCH },
  NumaNodesPerSocket: { title: 'NUMA Nodes per Socket', type: 'Integer', lower: 0, upper: 8 },
  SysProfile: {
    title: 'System Profile',
    type: 'Enumeration',
    values: ['PerfPerWattOptimized', 'PerfOptimized', 'Custom'],
  },
  ProcTurbo: {
    title: 'Turbo Boost',
    type: 'Enumeration',
    values: SWITCH,
    onlyWith: ['SysProfile', 'Custom'],
  },
  AssetTag: { title: 'Asset Tag', type: 'String', maxLength: 16 },
  PowerOnPin: { title: 'Power-on PIN', type: 'Password', maxLength: 32 },
  [TPM_ATTRIBUTE]: {
    title: 'TPM 2.0 Operation',
    type: 'Enumeration',
    values: ['NoAction', 'Clear'],
    writeOnly: true,
  },
  TpmState: {
    title: 'TPM State',
    type: 'Enumeration',
    values: ['NotPresent', 'PresentEnabled', 'PresentDisabled'],
    readOnly: true,
  },
};
