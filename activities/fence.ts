import { fail } from '../core/errors/failure.ts';
import type { OperationRef } from '../core/operations.ts';
import type { Site } from './site.ts';

type Acting = Pick<OperationRef, 'site' | 'node' | 'requestId' | 'generation'>;

/**
 * Only the operation that the node's record names may act on the node: one that its node forgot neither
 * writes a disk, nor powers off or ejects what the operation after it needs.
 */
export async function fence(site: Site, { site: name, node, requestId, generation }: Acting): Promise<void> {
  const record = await site.records.read(name, node);
  if (record?.operation?.requestId === requestId && record.generation >= generation) return;
  const named = record?.operation?.requestId ?? 'no operation';
  throw fail(
    'GENERATION_CONFLICT',
    `The record of ${node} names ${named} (generation ${record?.generation ?? 0}), not ${requestId} (generation ${generation}).`,
  );
}
