import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { partsOf } from '../../core/acceptance/reports/verify.ts';
import type { AcceptanceReport } from '../../core/acceptance/report.ts';
import { fail } from '../../core/errors/failure.ts';
import { hasCode, namesIn } from '../records/atomic-file.ts';
import { KEPT_FOLDER } from './verify.ts';

/**
 * Copies a run's evidence, with its signed statement if there is one, into a folder that can be taken elsewhere; and
 * what its report points to of other runs, below `kept/`. Throws INVALID_MESSAGE where the folder is not empty.
 *
 * @param folder where the run lies in the store
 * @returns how many files there are
 */
export async function exportRun(folder: string, report: AcceptanceReport, out: string): Promise<number> {
  await mkdir(out, { recursive: true });
  if ((await readdir(out)).length > 0) {
    throw fail('INVALID_MESSAGE', `out: ${out} is not empty, and everything in it would count as evidence.`);
  }
  const own = await namesIn(folder);
  for (const file of own) await copyFile(join(folder, file), join(out, file));
  const others = new Set(
    report.gates
      .flatMap(({ checks }) => checks.flatMap(({ evidence = [] }) => evidence))
      .map(({ id }) => `${id}.json`),
  );
  let count = own.length;
  for (const name of others) {
    const parts = partsOf(name);
    if (parts === undefined || parts.runId === report.runId || parts.site !== report.site) continue;
    const target = join(out, KEPT_FOLDER, parts.runId);
    await mkdir(target, { recursive: true });
    try {
      await copyFile(join(folder, '..', parts.runId, parts.file), join(target, parts.file));
      count++;
    } catch (error) {
      // What is gone is missed by whoever verifies.
      if (!hasCode(error, 'ENOENT')) throw error;
    }
  }
  return count;
}
