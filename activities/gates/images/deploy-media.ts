import { readFile } from 'node:fs/promises';
import { effectiveNodes } from '../../../contracts/inventory/effective.ts';
import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import {
  mediaProblems,
  mediaRecordPath,
  parseMediaRecord,
  type MediaRecord,
} from '../../../core/agent/media-record.ts';
import { fail, RackwrightError, type Failure } from '../../../core/errors/failure.ts';
import { freshMediaBase } from '../../agent/media-base.ts';
import { mediaParts } from '../../agent/media-parts.ts';
import { baseChecksumOf } from '../../agent/urls.ts';
import { eachTarget, type CheckContext, type CheckFunction, type Wrong } from '../check.ts';

type Architecture = 'x86_64' | 'aarch64';

interface Target {
  readonly name: string;
  /** Undefined: the contract has one ISO and does not say for what. */
  readonly architecture: Architecture | undefined;
  /** Undefined: nodes need one, and the contract has none. */
  readonly iso: string | undefined;
}

/** Reads each base ISO whole, and compares it and what boots from it with what is recorded. */
export const deployMedia: CheckFunction = {
  skip: ({ media }) => (media === undefined ? 'the contract has no deploy media' : undefined),

  run: (context) =>
    eachTarget(context, 'media-publisher', targetsOf(context.inventory), (target) => look(context, target), {
      atOnce: 1,
    }),
};

function targetsOf(inventory: Inventory): Target[] {
  const iso = inventory.media!.iso;
  if (typeof iso === 'string') return [{ name: 'media.iso', architecture: undefined, iso }];
  const needed = effectiveNodes(inventory)
    .filter(({ driver }) => driver === 'redfish')
    .map(({ architecture }) => architecture);
  const architectures = [...new Set([...(Object.keys(iso) as Architecture[]), ...needed])];
  return architectures.map((each) => ({ name: `media.iso.${each}`, architecture: each, iso: iso[each] }));
}

async function look(context: CheckContext, { name, architecture, iso }: Target) {
  if (iso === undefined) {
    const wrong: Wrong = {
      message: `Nodes are ${architecture}, and the contract has no base ISO for that.`,
      correction: `Add \`${architecture}\` to \`media.iso\`.`,
      faultDomain: 'contract',
    };
    return { found: { wrong: [wrong] } };
  }
  const contract = baseChecksumOf(context.inventory, architecture);
  try {
    const record = await recordBeside(iso);
    const { base, files, parts } = await whole(iso, record, context.signal);
    const checksum = `sha256:${base.sha256}`;
    const wrong = mediaProblems({ path: iso, architecture, checksum, files: parts, contract, record });
    const evidence = await context.evidence(name, {
      asked: `every byte of ${iso}, and what boots from it`,
      answer: {
        checksum,
        size: base.size,
        contract: contract ?? null,
        record: record === undefined || record === 'damaged' ? (record ?? null) : { ...record },
        files: parts,
        reservedAreas: base.areasAt.length,
        filesInIt: files.length,
      },
    });
    const right = 'every byte is as it was recorded, and the reserved area is in its place';
    return { found: wrong.length > 0 ? { wrong } : { right }, evidence: [evidence] };
  } catch (error) {
    if (error instanceof RackwrightError && isCertain(error.failure))
      return { found: { wrong: [error.failure] } };
    throw error;
  }
}

/** What a system says where there is nothing. */
const ABSENT: readonly unknown[] = [undefined, 'ENOENT', 'ENOTDIR'];
/** It has been read and is no base ISO, or there is none. A disk that fails, or a missing permission, is not among them. */
const isCertain = ({ code, details }: Failure): boolean =>
  code === 'MEDIA_BASE_INVALID' && ABSENT.includes(details?.['reason']);

const unreadable = (path: string, error: unknown): Error => {
  const reason = String((error as { code?: unknown }).code ?? 'unknown error');
  return fail('MEDIA_BASE_INVALID', `${path} cannot be read (${reason}).`, {
    details: { path, reason },
    correction: `Let the worker read ${path}.`,
  });
};

async function whole(iso: string, record: MediaRecord | 'damaged' | undefined, signal: AbortSignal) {
  const { base, files } = await freshMediaBase(iso, signal);
  const also = record === undefined || record === 'damaged' ? [] : Object.keys(record.files);
  const parts = await mediaParts(iso, files, { also, signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw unreadable(iso, error);
  });
  return { base, files, parts };
}

async function recordBeside(iso: string): Promise<MediaRecord | 'damaged' | undefined> {
  const path = mediaRecordPath(iso);
  try {
    return parseMediaRecord(await readFile(path, 'utf8')) ?? 'damaged';
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined;
    throw unreadable(path, error);
  }
}
