import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dataDirPaths } from '../../activities/datadir.ts';
import { fileEvidenceStore } from '../../activities/evidence/file-evidence-store.ts';
import type { EvidenceStore } from '../../activities/evidence/evidence-store.ts';
import { namesIn } from '../../activities/records/atomic-file.ts';
import { ACCEPTANCE_SUBJECT } from '../../activities/records/safe-names.ts';
import { fail } from '../../core/errors/failure.ts';
import { isName, isRequestId } from '../../core/names.ts';
import type { Context } from './context.ts';

/** Acceptance runs in the data directory: they can be read when nothing runs. */
export interface StoredRun {
  readonly site: string;
  readonly runId: string;
  readonly folder: string;
  readonly evidence: EvidenceStore;
}

/** Where a run lies. Without a site it is that of the one site which has such a run. Throws RUN_UNKNOWN, SITE_UNKNOWN. */
export async function storedRun(context: Context, runId: string): Promise<StoredRun> {
  if (!isRequestId(runId)) throw fail('INVALID_MESSAGE', 'run must be the id of a run.');
  const { root, evidence } = dataDirPaths(context.options.dataDir);
  const folderOf = (site: string): string => join(evidence, site, ACCEPTANCE_SUBJECT, runId);
  const given = context.options.site ?? process.env['RACKWRIGHT_SITE'];
  const sites = given === undefined ? await namesIn(evidence) : [given];
  const found = sites.filter((site) => isName(site) && existsSync(folderOf(site)));
  const [site] = found;
  if (site === undefined) {
    throw fail(
      'RUN_UNKNOWN',
      `${root} holds no evidence of a run ${runId}${given === undefined ? '' : ` of ${given}`}.`,
    );
  }
  if (found.length > 1) {
    throw fail(
      'SITE_UNKNOWN',
      `${found.join(' and ')} have a run ${runId} each: --site says which is meant.`,
    );
  }
  return { site, runId, folder: folderOf(site), evidence: fileEvidenceStore(evidence) };
}
