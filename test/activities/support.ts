import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { fileEvidenceStore } from '../../activities/evidence/file-evidence-store.ts';
import { fileInspectionStore } from '../../activities/inspections/inspection-store.ts';
import { loadContract, storeContract } from '../../activities/inventory/contract-store.ts';
import { fileMediaProbes } from '../../activities/media-probes/store.ts';
import { fileRecordStore } from '../../activities/records/file-record-store.ts';
import { fileUpdateJournal } from '../../activities/redfish/update-journal.ts';
import { fileStandingStore } from '../../activities/standing/standing-store.ts';
import { fileBlobStore } from '../../activities/secrets/blob-store.ts';
import { SecretSet } from '../../activities/secrets/redact.ts';
import type { Site } from '../../activities/site.ts';
import { Tokens } from '../../activities/tokens/tokens.ts';
import { newNode, type NodeRecord } from '../../core/node.ts';
import type { OperationInput } from '../../core/operations.ts';
import { INVENTORY, SITE } from '../workflows/support.ts';

/** A site with file stores in a folder of its own, without Temporal. */
export async function aSite(over: Partial<Site> = {}): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'rackwright-site-'));
  return {
    name: SITE,
    inventory: async () => INVENTORY,
    contracts: {
      store: (inventory) => storeContract(join(folder, 'contracts'), inventory),
      load: (hash) => loadContract(join(folder, 'contracts'), hash),
    },
    records: fileRecordStore<NodeRecord>(join(folder, 'records')),
    evidence: fileEvidenceStore(join(folder, 'evidence')),
    inspections: fileInspectionStore(join(folder, 'inspections')),
    standing: fileStandingStore(join(folder, 'standing')),
    promoted: async () => undefined,
    blobs: fileBlobStore(join(folder, 'blobs'), new Uint8Array(32)),
    updates: fileUpdateJournal(join(folder, 'firmware-updates')),
    probes: fileMediaProbes(join(folder, 'media-probes')),
    tokens: new Tokens(new Uint8Array(32)),
    secrets: new SecretSet(),
    secret: async () => 'secret',
    client: undefined as never,
    log: pino({ level: 'silent' }),
    ...over,
  };
}

/** The input of an operation on n1. */
export const anInput = (over: Partial<OperationInput> = {}): OperationInput => ({
  site: SITE,
  node: 'n1',
  requestId: 'r1',
  kind: 'deploy',
  args: { image: 'a' },
  source: 'update',
  snapshot: { phase: 'deploying', returnTo: null, owner: null, image: null },
  generation: 1,
  residue: [],
  ...over,
});

/** A record of n1 that names this operation. */
export const aRecord = ({ requestId, kind, generation }: OperationInput): NodeRecord => ({
  ...newNode(SITE, 'n1'),
  generation,
  operation: { requestId, kind, args: {}, held: false, step: null, failure: null },
});

/** The code that something is refused with. */
export const codeOf = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'passed',
    (error: { failure?: { code: string }; type?: string; name: string }) =>
      error.failure?.code ?? error.type ?? error.name,
  );
