import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isOfRun, placeOf } from '../../core/acceptance/reports/verify.ts';
import type { AcceptanceReport } from '../../core/acceptance/report.ts';
import { fail } from '../../core/errors/failure.ts';
import { hasCode, namesIn } from '../records/atomic-file.ts';
import { OTHERS_FOLDER } from './verify.ts';

/**
 * Copies a run's evidence, with its signed statement if there is one, into a folder that can be taken elsewhere; and
 * what its report points to of other runs and of operations, below `referenced/`. Throws INVALID_MESSAGE where the folder is not empty.
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
    const place = placeOf(name);
    if (place === undefined || isOfRun(place, report.runId) || place.site !== report.site) continue;
    const below = join(place.subject, place.requestId);
    await mkdir(join(out, OTHERS_FOLDER, below), { recursive: true });
    try {
      await copyFile(
        join(folder, '..', '..', below, place.file),
        join(out, OTHERS_FOLDER, below, place.file),
      );
      count++;
    } catch (error) {
      // What is gone is missed by whoever verifies.
      if (!hasCode(error, 'ENOENT')) throw error;
    }
  }
  return count;
}
