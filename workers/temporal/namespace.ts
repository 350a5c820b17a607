import type { ConnectionLike } from '@temporalio/client';
import proto from '@temporalio/proto';
import { fail } from '../../core/errors/failure.ts';
import { SEARCH_ATTRIBUTES } from '../../core/names.ts';

const { IndexedValueType } = proto.temporal.api.enums.v1;
const TYPES = {
  KEYWORD: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  KEYWORD_LIST: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD_LIST,
} as const;

/** Types of the search attributes in the terms of Temporal's API. */
export const SEARCH_ATTRIBUTE_TYPES: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries(SEARCH_ATTRIBUTES).map(([name, type]) => [name, TYPES[type]]),
);

const RETENTION_SECONDS = 90 * 86_400;
const TRIES = 100;
const PAUSE_MS = 100;

/** The part of a connection that is needed here; those of clients, workers and tests have it. */
export type Services = Pick<ConnectionLike, 'workflowService'> & {
  readonly operatorService: {
    listSearchAttributes(request: { namespace: string }): Promise<{
      customAttributes?: Record<string, number> | null;
    }>;
    addSearchAttributes(request: {
      namespace: string;
      searchAttributes: Record<string, number>;
    }): Promise<unknown>;
  };
};

/**
 * Ensures that every search attribute exists with its type. Adding one again with another type is
 * answered with OK, and upserting an unknown one stops a workflow for ever: hence list and compare.
 */
export async function ensureSearchAttributes(services: Services, namespace: string): Promise<void> {
  const wanted = Object.entries(SEARCH_ATTRIBUTE_TYPES);
  const missing = async (): Promise<Record<string, number>> => {
    const { customAttributes } = await services.operatorService.listSearchAttributes({ namespace });
    const present = customAttributes ?? {};
    for (const [name, type] of wanted) {
      if (present[name] !== undefined && present[name] !== type) throw wrongType(name, type, present[name]);
    }
    return Object.fromEntries(wanted.filter(([name]) => present[name] === undefined));
  };

  let left = await missing();
  if (Object.keys(left).length === 0) return;
  await services.operatorService.addSearchAttributes({ namespace, searchAttributes: left });
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    left = await missing();
    if (Object.keys(left).length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw fail(
    'SEARCH_ATTRIBUTES_WRONG',
    `Search attributes ${Object.keys(left).join(', ')} were added to namespace ${namespace} and do not appear.`,
  );
}

const typeName = (type: number): string =>
  IndexedValueType[type]?.replace('INDEXED_VALUE_TYPE_', '') ?? `type ${type}`;

const wrongType = (name: string, wanted: number, present: number) =>
  fail(
    'SEARCH_ATTRIBUTES_WRONG',
    `Search attribute ${name} is ${typeName(present)} in this namespace and must be ${typeName(wanted)}.`,
  );

/**
 * Ensures that closed workflows are kept for 90 days: a requestId stands for one operation that long.
 * Never lowers what is there.
 *
 * @returns false if the server does not let us (a hosted namespace); then what it has stays
 */
export async function ensureRetention(services: Services, namespace: string): Promise<boolean> {
  const { config } = await services.workflowService.describeNamespace({ namespace });
  const seconds = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0);
  if (seconds >= RETENTION_SECONDS) return true;
  try {
    await services.workflowService.updateNamespace({
      namespace,
      config: { workflowExecutionRetentionTtl: { seconds: RETENTION_SECONDS as never } },
    });
    return true;
  } catch {
    return false;
  }
}
