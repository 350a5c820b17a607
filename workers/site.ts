import { dirname, resolve } from 'node:path';
import { statSync } from 'node:fs';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { openDataDir } from '../activities/datadir.ts';
import { fileEvidenceStore } from '../activities/evidence/file-evidence-store.ts';
import { fileInspectionStore } from '../activities/inspections/inspection-store.ts';
import { placeOf } from '../activities/images/image-bytes.ts';
import { loadContract, storeContract } from '../activities/inventory/contract-store.ts';
import { fileMediaProbes } from '../activities/media-probes/store.ts';
import { fileRecordStore } from '../activities/records/file-record-store.ts';
import { fileStandingStore } from '../activities/standing/standing-store.ts';
import { fileUpdateJournal } from '../activities/redfish/update-journal.ts';
import { fileBlobStore } from '../activities/secrets/blob-store.ts';
import type { SecretSet } from '../activities/secrets/redact.ts';
import { resolveSecret } from '../activities/secrets/resolve.ts';
import { siteKey } from '../activities/secrets/site-key.ts';
import type { Site } from '../activities/site.ts';
import { Tokens } from '../activities/tokens/tokens.ts';
import { currentVersion, type ImageRecord } from '../core/images.ts';
import type { NodeRecord } from '../core/node.ts';
import type { ProcessConfig } from './config.ts';
import { InventoryFile } from './inventory-file.ts';

/** What a process has before it connects. */
export interface SiteParts {
  readonly config: ProcessConfig;
  readonly log: Logger;
  readonly secrets: SecretSet;
  readonly client: Client;
}

/** A site with its stores as files of the data directory. Throws CONTRACT_INVALID, SITE_KEY_INVALID. */
export async function createSite({ config, log, secrets, client }: SiteParts): Promise<Site> {
  const dir = openDataDir(config.dataDir);
  const file = new InventoryFile(config.inventory, config.allowExec);
  const { site: name } = await file.load();
  const { allowExec } = config;
  const key = await siteKey(dir.siteKey, { allowExec });
  secrets.add(key.toString('hex'));
  const blobs = fileBlobStore(dir.blobs, key);
  const images = fileRecordStore<ImageRecord>(dir.images);
  const baseDir = baseDirOf(config.inventory);
  return {
    name,
    inventory: () => file.load(),
    contracts: {
      store: (inventory) => storeContract(dir.contracts, inventory),
      load: (hash) => loadContract(dir.contracts, hash),
    },
    records: fileRecordStore<NodeRecord>(dir.records),
    evidence: fileEvidenceStore(dir.evidence),
    inspections: fileInspectionStore(dir.inspections),
    standing: fileStandingStore(dir.standing),
    async promoted(image) {
      const record = await images.read(name, image);
      const version = record && currentVersion(record);
      return version && { version, url: placeOf(version, dir.imageFiles) };
    },
    blobs,
    updates: fileUpdateJournal(dir.firmware),
    probes: fileMediaProbes(dir.mediaProbes),
    tokens: new Tokens(key),
    secrets,
    async secret(reference) {
      const value = await resolveSecret(reference, { allowExec, baseDir, blobs });
      secrets.add(value);
      return value;
    },
    client,
    log,
  };
}

/** Where relative paths of an inventory start: its folder. */
function baseDirOf(inventory: string): string {
  const path = resolve(inventory);
  return statSync(path).isDirectory() ? path : dirname(path);
}
