import type { FaultDomain } from '../fault-domains.ts';

/** What is wrong with a host, and what corrects it. */
export interface HostFinding {
  readonly message: string;
  readonly correction: string;
  /** Where it is not the host's own. */
  readonly faultDomain?: FaultDomain;
}

/** A controller as far as its baseline is concerned, as the contract has it. */
export interface ContractHost {
  readonly name: string;
  readonly address: string;
  readonly hostname?: string | undefined;
  readonly ssh?: { readonly port?: number | undefined } | undefined;
  readonly interfaces?: readonly ContractInterface[] | undefined;
  readonly disks?: readonly ContractDisk[] | undefined;
  readonly reaches?: readonly { readonly host: string; readonly port: number }[] | undefined;
}
export interface ContractInterface {
  readonly name: string;
  readonly mac?: string | undefined;
  readonly network?: string | undefined;
  readonly address?: string | undefined;
}
export interface ContractDisk {
  readonly path: string;
  readonly owner: string;
}

/** The name that a controller has as a host. */
export const hostNameOf = ({ name, hostname }: Pick<ContractHost, 'name' | 'hostname'>): string =>
  hostname ?? name;
