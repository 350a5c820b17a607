import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Gives a whole run of tests one folder for everything temporary, and removes it when the run is over. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-tests-'));
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
