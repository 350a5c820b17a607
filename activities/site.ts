import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Inventory } from '../contracts/inventory/inventory.ts';
import type { ImageVersion } from '../core/images.ts';
import type { NodeRecord } from '../core/node.ts';
import type { EvidenceStore } from './evidence/evidence-store.ts';
import type { InspectionStore } from './inspections/inspection-store.ts';
import type { MediaProbes } from './media-probes/store.ts';
import type { RecordStore } from './records/record-store.ts';
import type { StandingStore } from './standing/standing-store.ts';
import type { UpdateJournal } from './redfish/update-journal.ts';
import type { BlobStore } from './secrets/blob-store.ts';
import type { SecretSet } from './secrets/redact.ts';
import type { Tokens } from './tokens/tokens.ts';

/** Everything that a site's activities and its gateway share. Made once per process. */
export interface Site {
  readonly name: string;
  /** The contract as its file stands now. Throws CONTRACT_INVALID with file, line and field. */
  inventory(): Promise<Inventory>;
  readonly contracts: {
    /** Keeps a version of the contract. @returns its hash */
    store(inventory: Inventory): Promise<string>;
    /** The version with this hash. */
    load(hash: string): Promise<Inventory>;
  };
  readonly records: RecordStore<NodeRecord>;
  readonly evidence: EvidenceStore;
  readonly inspections: InspectionStore;
  /** How the gates stand. */
  readonly standing: StandingStore;
  /** The promoted version that deployments of an image take, and where it lies; undefined if it was never promoted. */
  promoted(image: string): Promise<{ readonly version: ImageVersion; readonly url: string } | undefined>;
  readonly blobs: BlobStore;
  /** Which update of firmware is under way on each node. */
  readonly updates: UpdateJournal;
  /** The images that BMCs are given to show that they reach the gateway, and who asked for them. */
  readonly probes: MediaProbes;
  readonly tokens: Tokens;
  /** Every secret that this process has resolved; redacted from evidence, errors and logs. */
  readonly secrets: SecretSet;
  /** Resolves a secret reference and remembers its value in `secrets`. */
  secret(reference: string): Promise<string>;
  /** Temporal, for what asks about workflows. */
  readonly client: Client;
  readonly log: Logger;
}
