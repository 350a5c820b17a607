import { fail, RackwrightError } from '../../core/errors/failure.ts';
import { readNode, type IronicNode, type PatchOperation } from '../../core/ironic/node.ts';
import type { ProvisionTarget } from '../../core/ironic/states.ts';
import { atLeast, negotiate, WITH_HISTORY, WITH_INVENTORY } from '../../core/ironic/version.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { invalid, IronicTransport, type IronicEndpoint } from './transport.ts';
import { firstWords } from '../../core/whole-words.ts';

/** An entry of a node's history: Ironic writes one for each error. */
export interface HistoryEvent {
  readonly at: string;
  readonly type: string;
  readonly severity: string;
  readonly event: string;
}

const object = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
const list = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.map(object) : []);
const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const segment = encodeURIComponent;

/** Ironic gives no more at once unless it is configured to. */
const PAGE = 1000;
const MAX_PAGES = 100;
/** What is asked of each of many nodes. */
const LISTED = [
  'uuid',
  'name',
  'provision_state',
  'power_state',
  'target_power_state',
  'maintenance',
  'maintenance_reason',
  'fault',
  'extra',
].join(',');

/** The path of the next page. Ironic names it with whatever host it believes to have. */
function pathOf(next: string): string | undefined {
  const [, query] = /\/v1\/nodes\/?\?(.*)$/.exec(next) ?? [];
  return query === undefined ? undefined : `/v1/nodes?${query}`;
}

/** The part of Ironic's API that the driver needs, at one pinned microversion. */
export class IronicClient {
  readonly #transport: IronicTransport;
  readonly #signal: AbortSignal | undefined;
  readonly #pinned: string | undefined;
  #version: string | undefined;

  /** @param options.microversion what the contract pins; otherwise it is negotiated with the first call */
  constructor(endpoint: IronicEndpoint, options: { microversion?: string; signal?: AbortSignal } = {}) {
    this.#transport = new IronicTransport(endpoint);
    this.#pinned = options.microversion;
    this.#signal = options.signal;
  }

  /** The pinned microversion. */
  async version(): Promise<string> {
    if (this.#version !== undefined) return this.#version;
    const body = await this.root();
    const offered = object(object(body)['default_version']);
    if (Object.keys(offered).length === 0) throw invalid({ method: 'GET', path: '/' }, 'it names no version');
    const chosen = negotiate(
      { min: text(offered['min_version']), max: text(offered['version']) },
      this.#pinned,
    );
    if (!chosen.ok) throw fail('IRONIC_VERSION_UNSUPPORTED', `Ironic: ${chosen.why}.`);
    this.#version = chosen.version;
    return chosen.version;
  }

  /** What the API says of itself, to anybody. */
  async root(): Promise<Json | undefined> {
    return (await this.#transport.send({ method: 'GET', path: '/' }, this.#with({}))).body;
  }

  /** Whatever is read of the API beside what the driver needs. */
  async read(path: string): Promise<Json | undefined> {
    return this.#call('GET', path);
  }

  /** The node of this name, or undefined. */
  async node(name: string): Promise<IronicNode | undefined> {
    const body = await this.#orMissing('GET', `/v1/nodes/${segment(name)}`);
    return body === undefined ? undefined : this.#node('GET', `/v1/nodes/${segment(name)}`, body);
  }

  /** All nodes, in as few requests as Ironic gives them. */
  async nodes(): Promise<IronicNode[]> {
    const found: IronicNode[] = [];
    let path: string | undefined = `/v1/nodes?limit=${PAGE}&fields=${LISTED}`;
    for (let page = 0; path !== undefined && page < MAX_PAGES; page += 1) {
      const body = object(await this.#call('GET', path));
      for (const node of list(body['nodes'])) found.push(this.#node('GET', path, node));
      path = pathOf(text(body['next']));
    }
    return found;
  }

  async createNode(body: JsonObject): Promise<IronicNode> {
    return this.#node('POST', '/v1/nodes', await this.#call('POST', '/v1/nodes', body));
  }

  async patchNode(uuid: string, patch: readonly PatchOperation[]): Promise<IronicNode> {
    const path = `/v1/nodes/${uuid}`;
    return this.#node('PATCH', path, await this.#call('PATCH', path, patch as unknown as Json));
  }

  async deleteNode(uuid: string): Promise<void> {
    await this.#orMissing('DELETE', `/v1/nodes/${uuid}`);
  }

  /** Asks for a change of the provision state; Ironic works on after the answer. */
  async provision(uuid: string, target: ProvisionTarget, more: JsonObject = {}): Promise<void> {
    await this.#call('PUT', `/v1/nodes/${uuid}/states/provision`, { target, ...more });
  }

  async power(uuid: string, target: 'power on' | 'power off'): Promise<void> {
    await this.#call('PUT', `/v1/nodes/${uuid}/states/power`, { target });
  }

  async endMaintenance(uuid: string): Promise<void> {
    await this.#call('DELETE', `/v1/nodes/${uuid}/maintenance`);
  }

  /** What each interface says of the node: undefined where it is fit, else the reason. */
  async validate(uuid: string): Promise<ReadonlyMap<string, string | undefined>> {
    const body = object(await this.#call('GET', `/v1/nodes/${uuid}/validate`));
    return new Map(
      Object.entries(body).map(([kind, value]) => {
        const { result, reason } = object(value);
        return [kind, result === true ? undefined : text(reason) || 'no reason given'];
      }),
    );
  }

  /** The ports with this MAC address, of any node. */
  async portsWith(mac: string): Promise<{ uuid: string; nodeUuid: string }[]> {
    const body = object(await this.#call('GET', `/v1/ports?address=${segment(mac)}&fields=uuid,node_uuid`));
    return list(body['ports']).map((port) => ({
      uuid: text(port['uuid']),
      nodeUuid: text(port['node_uuid']),
    }));
  }

  async createPort(nodeUuid: string, mac: string): Promise<void> {
    await this.#call('POST', '/v1/ports', { node_uuid: nodeUuid, address: mac });
  }

  /** What inspection found; undefined where it stored nothing, or the API is too old to tell. */
  async inventory(uuid: string): Promise<JsonObject | undefined> {
    if (!atLeast(await this.version(), WITH_INVENTORY)) return undefined;
    try {
      return object(object(await this.#call('GET', `/v1/nodes/${uuid}/inventory`))['inventory']);
    } catch (cause) {
      if (cause instanceof RackwrightError && cause.failure.details?.['status'] === 404) return undefined;
      throw cause;
    }
  }

  /** The newest events of the node, newest first; undefined where the API is too old to tell. */
  async history(uuid: string): Promise<HistoryEvent[] | undefined> {
    if (!atLeast(await this.version(), WITH_HISTORY)) return undefined;
    const body = object(await this.#call('GET', `/v1/nodes/${uuid}/history?detail=true`));
    return list(body['history'])
      .map((entry) => ({
        at: text(entry['created_at']),
        type: text(entry['event_type']),
        severity: text(entry['severity']),
        event: firstWords(text(entry['event']), 600),
      }))
      .toSorted((a, b) => (a.at < b.at ? 1 : -1));
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  async #call(method: string, path: string, body?: Json): Promise<Json | undefined> {
    const version = await this.version();
    const answer = await this.#transport.send(
      { method, path },
      this.#with({ version, ...(body === undefined ? {} : { body }) }),
    );
    return answer.body;
  }

  async #orMissing(method: string, path: string): Promise<Json | undefined> {
    try {
      return await this.#call(method, path);
    } catch (cause) {
      if (cause instanceof RackwrightError && cause.failure.code === 'IRONIC_NODE_MISSING') return undefined;
      throw cause;
    }
  }

  #node(method: string, path: string, body: Json | undefined): IronicNode {
    const node = readNode(body);
    if (node === undefined) throw invalid({ method, path }, 'it is no node');
    return node;
  }

  #with<T extends object>(options: T): T & { signal?: AbortSignal } {
    return this.#signal === undefined ? options : { ...options, signal: this.#signal };
  }
}
