import { chmodSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fail } from '../core/errors/failure.ts';

/** Where everything that Rackwright keeps on disk lies. */
export interface DataDir {
  readonly root: string;
  readonly records: string;
  readonly contracts: string;
  readonly evidence: string;
  readonly blobs: string;
  /** Which versions of images were promoted. */
  readonly images: string;
  /** Copies of promoted images, by their checksums. */
  readonly imageFiles: string;
  readonly keys: string;
  readonly siteKey: string;
  /** Files with process ids and addresses of what runs. */
  readonly run: string;
  /** Which sessions processes have open on BMCs. */
  readonly bmcSessions: string;
  /** What the inspections of each node saw. */
  readonly inspections: string;
  /** How the gates of the site stand. */
  readonly standing: string;
  /** Which update of firmware is under way on each node. */
  readonly firmware: string;
  /** Images that BMCs are given to show that they reach the gateway, for the time of one look. */
  readonly mediaProbes: string;
  readonly temporalDb: string;
  readonly logs: string;
  readonly lab: string;
}

/** The paths of a data directory; nothing is created. */
export function dataDirPaths(dataDir = '.rackwright'): DataDir {
  const root = resolve(dataDir);
  return {
    root,
    records: join(root, 'records'),
    contracts: join(root, 'contracts'),
    evidence: join(root, 'evidence'),
    blobs: join(root, 'blobs'),
    images: join(root, 'images', 'records'),
    imageFiles: join(root, 'images', 'files'),
    keys: join(root, 'keys'),
    siteKey: join(root, 'keys', 'site.key'),
    run: join(root, 'run'),
    bmcSessions: join(root, 'bmc-sessions'),
    inspections: join(root, 'inspections'),
    standing: join(root, 'standing'),
    firmware: join(root, 'firmware-updates'),
    mediaProbes: join(root, 'media-probes'),
    temporalDb: join(root, 'temporal.db'),
    logs: join(root, 'logs'),
    lab: join(root, 'lab'),
  };
}

const FOLDERS = ['records', 'contracts', 'evidence', 'blobs', 'keys', 'run', 'logs', 'lab'] as const;

/**
 * The paths of a data directory, whose folders are there and open to their owner only (mode 0700). Throws
 * INVALID_MESSAGE where the file system does not let them be.
 */
export function openDataDir(dataDir?: string): DataDir {
  const paths = dataDirPaths(dataDir);
  try {
    mkdirSync(paths.root, { recursive: true, mode: 0o700 });
    chmodSync(paths.root, 0o700);
    for (const folder of FOLDERS) mkdirSync(paths[folder], { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message = `data-dir: no data directory can be made at ${paths.root}: ${code ?? 'unknown'}.`;
    const correction = 'Name a folder of your own, or one that can be made, with --data-dir.';
    throw fail('INVALID_MESSAGE', message, { correction }, { cause: error });
  }
  return paths;
}
