import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { NodeRecord } from '../core/node.ts';
import type { BlobStore } from './secrets/blobs.ts';
import type { ContractStore } from './inventory/store.ts';
import type { EvidenceStore } from './evidence/store.ts';
import type { RecordStore } from './records/store.ts';
import type { Tokens } from './tokens/tokens.ts';
import type { Inventory } from '../contracts/inventory/inventory.ts';

/** Everything that a site's activities and its gateway share. Made once per process. */
export interface Site {
  readonly name: string;
  /** The contract as its file stands now; problems of the file are a CONTRACT_INVALID. */
  inventory(): Promise<Inventory>;
  readonly contracts: ContractStore;
  readonly records: RecordStore<NodeRecord>;
  readonly evidence: EvidenceStore;
  readonly blobs: BlobStore;
  readonly tokens: Tokens;
  /** Resolves a secret reference of the contract. */
  secret(reference: string): Promise<string>;
  /** Temporal, for what asks about workflows. */
  readonly client: Client;
  readonly log: Logger;
}
