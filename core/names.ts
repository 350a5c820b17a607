/** Ids, queues and attributes that outside programs rely on. */

/** Sites and nodes: a DNS label, dots allowed. */
export const NAME_PATTERN = /^[a-z0-9][a-z0-9.-]{0,62}$/;
/** Request ids: what the caller likes, as long as it is safe in a path and an id. */
export const REQUEST_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
/** Request ids that Rackwright makes for its own clean-up operations; refused from outside. */
export const CLEANUP_PREFIX = 'cleanup-';

export const isName = (value: unknown): value is string =>
  typeof value === 'string' && NAME_PATTERN.test(value);
export const isRequestId = (value: unknown): value is string =>
  typeof value === 'string' && REQUEST_ID_PATTERN.test(value);

export const WORKFLOW_QUEUE = 'rackwright';
/**
 * How long a workflow task of a node may take. After a burst it repeats thousands of messages, and on a busy
 * machine the 10 s that Temporal grants would never be enough.
 */
export const NODE_TASK_TIMEOUT = '30s';
/** The queue of a site's activities. */
export const siteQueue = (site: string): string => `rackwright-${site}`;

export const nodeWorkflowId = (site: string, node: string): string => `node/${site}/${node}`;
export const operationWorkflowId = (site: string, node: string, requestId: string): string =>
  `op/${site}/${node}/${requestId}`;

export const watchWorkflowId = (site: string): string => `watch/${site}`;

export const acceptanceWorkflowId = (site: string, runId: string): string => `acceptance/${site}/${runId}`;

/** Reads `acceptance/<site>/<runId>` back; undefined if it is not one. */
export function parseAcceptanceWorkflowId(id: string): { site: string; runId: string } | undefined {
  const [kind, site, runId, ...rest] = id.split('/');
  if (kind !== 'acceptance' || rest.length > 0 || !isName(site) || !isRequestId(runId)) return undefined;
  return { site, runId };
}

/** The schedule of a site's nightly runs; what it starts is called so, too, with the time after it. */
export const nightlyScheduleId = (site: string): string => `nightly/${site}`;

/** Whether a workflow's id is that of a nightly run of the site: with the time that Temporal adds, or without. */
export const isNightlyWorkflowId = (id: string, site: string): boolean => {
  const schedule = nightlyScheduleId(site);
  return id === schedule || (id.startsWith(schedule) && NIGHTLY_TIME.test(id.slice(schedule.length)));
};
const NIGHTLY_TIME = /^-\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Reads `op/<site>/<node>/<requestId>` back; undefined if it is not one. */
export function parseOperationWorkflowId(
  id: string,
): { site: string; node: string; requestId: string } | undefined {
  const [kind, site, node, requestId, ...rest] = id.split('/');
  if (kind !== 'op' || rest.length > 0 || !isName(site) || !isName(node) || !isRequestId(requestId)) {
    return undefined;
  }
  return { site, node, requestId };
}

/** Search attributes by name, and their type. Every worker ensures that they exist. */
export const SEARCH_ATTRIBUTES = {
  RackwrightSite: 'KEYWORD',
  RackwrightNode: 'KEYWORD',
  RackwrightPhase: 'KEYWORD',
  RackwrightOperation: 'KEYWORD',
  RackwrightGate: 'KEYWORD',
  RackwrightFaultDomain: 'KEYWORD',
  RackwrightOutcome: 'KEYWORD',
  RackwrightTenant: 'KEYWORD',
  RackwrightFlags: 'KEYWORD_LIST',
} as const;
