import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import type { Client } from '@temporalio/client';
import { dataDirPaths } from '../../../activities/datadir.ts';

/** Something that was written down somewhere, as bytes. */
export interface Page {
  readonly place: string;
  readonly bytes: Uint8Array;
}

/** Every file below a folder, but not below the folders left out. */
export function filesBelow(root: string, leftOut: readonly string[] = []): Page[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !leftOut.some((folder) => path.startsWith(`${folder}/`)))
    .flatMap((path) => {
      const bytes = readIfThere(path);
      return bytes === undefined ? [] : [{ place: relative(root, path), bytes }];
    });
}

/** A file's bytes; of one that went since its folder was listed (a database's journal), none. */
function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** All that a data directory holds, without the site key itself. */
export const dataDirPages = (dataDir: string): Page[] => filesBelow(dataDir, [dataDirPaths(dataDir).keys]);

/** All payloads and texts of every workflow's history, decoded. */
export async function historyPages(client: Client): Promise<Page[]> {
  const pages: Page[] = [];
  for await (const { workflowId, runId } of client.workflow.list()) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const parts: Buffer[] = [];
    collect(history, parts);
    pages.push({ place: `history of ${workflowId}`, bytes: Buffer.concat(parts) });
  }
  return pages;
}

/** Every string and every run of bytes in a value, each on a line of its own. */
function collect(value: unknown, into: Buffer[]): void {
  if (typeof value === 'string') into.push(Buffer.from(`${value}\n`));
  else if (value instanceof Uint8Array) into.push(Buffer.from(value), Buffer.from('\n'));
  else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      into.push(Buffer.from(`${key}\n`));
      collect(inner, into);
    }
  }
}

/** Whole cells: a long one does not lie in one piece in the file. */
const CELLS = `
import sqlite3, sys
db = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
for (table,) in db.execute("select name from sqlite_master where type = 'table'").fetchall():
    for row in db.execute(f'select * from "{table}"'):
        for cell in row:
            data = cell if isinstance(cell, bytes) else str(cell).encode()
            sys.stdout.buffer.write(data + b"\\n")
`;

/** Every cell of the Temporal server's database; its files themselves are in the data directory. */
export async function databaseCells(dataDir: string): Promise<Page> {
  const { stdout } = await promisify(execFile)('python3', ['-c', CELLS, dataDirPaths(dataDir).temporalDb], {
    encoding: 'buffer',
    maxBuffer: 1024 * 1024 * 1024,
  });
  return { place: 'cells of temporal.db', bytes: stdout };
}
