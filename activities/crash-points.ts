import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';

/**
 * Where a test may stop the product dead: before and after the effect of every step. With the variable
 * `RACKWRIGHT_PAUSE_DIR` set, a step whose point is listed in `RACKWRIGHT_PAUSE_AT` (comma-separated
 * `node:verb:step:before|after`) makes a file of that name there, which holds the id of its process, and waits to be
 * killed; so do its next attempts, as long as the process lives. A point whose file is another process's has been passed.
 */
export async function pauseAt(point: string): Promise<void> {
  const folder = process.env['RACKWRIGHT_PAUSE_DIR'];
  if (!folder || !process.env['RACKWRIGHT_PAUSE_AT']?.split(',').includes(point)) return;
  await mkdir(folder, { recursive: true });
  const file = join(folder, point);
  const own = String(process.pid);
  try {
    await writeFile(file, own, { flag: 'wx' });
  } catch {
    if ((await readFile(file, 'utf8')) !== own) return;
  }
  await sleep(10 * 60_000, undefined, { signal: Context.current().cancellationSignal });
}
