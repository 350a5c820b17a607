import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { pino, type Logger } from 'pino';
import { Inventory } from '../../../contracts/inventory/inventory.ts';
import { MEDIA_LABEL, MEDIA_MARKER, RESERVED_BYTES } from '../../../core/agent/parameters.ts';
import { fail } from '../../../core/errors/failure.ts';
import { iso9660 } from '../../../core/iso9660.ts';
import type { JsonObject } from '../../../core/json.ts';
import type {
  AgentHeartbeat,
  AgentLookup,
  GatewayAccess,
  OperationRef,
  TokenWindow,
} from '../../../core/operations.ts';
import { Tokens, type Audience } from '../../../activities/tokens/tokens.ts';
import { createGateway, type GatewayDeps, type Operations } from '../../../workers/gateway/gateway.ts';

export const MACS = { 'gpu-01': '52:54:00:00:00:01', 'gpu-02': '52:54:00:00:00:02' } as const;
export type NodeName = keyof typeof MACS;
export const WINDOW = { epoch: 1, expires: Math.floor(Date.now() / 1000) + 3600 };
export const IMAGE = Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * 31) % 251));

export const refOf = (node: string): OperationRef => ({
  site: 'lab',
  node,
  requestId: `deploy-${node}`,
  kind: 'deploy',
  generation: 3,
  contractHash: 'c'.repeat(64),
});

/** An operation in memory with the rules of the real one. */
export class MemoryOperations implements Operations {
  readonly state = new Map<string, GatewayAccess>();
  readonly lookups: AgentLookup[] = [];
  readonly heartbeats: AgentHeartbeat[] = [];
  readonly reports: JsonObject[] = [];
  queries = 0;
  down = false;
  /** How many of the next questions are not answered. */
  misses = 0;

  start(node: string, args: JsonObject = { image: 'ubuntu' }): void {
    this.begin(refOf(node), WINDOW, args);
  }

  begin(ref: OperationRef, window: TokenWindow, args: JsonObject): void {
    this.state.set(ref.node, {
      ref,
      window,
      mediaOpen: true,
      agentHeard: false,
      callbackUrl: null,
      certificate: null,
      firstBootOpen: true,
      firstBootHeard: false,
      args,
    });
  }

  change(node: string, change: Partial<GatewayAccess>): void {
    this.state.set(node, { ...this.state.get(node)!, ...change });
  }

  end(node: string): void {
    this.state.delete(node);
  }

  async access({ node, requestId }: { node: string; requestId: string }): Promise<GatewayAccess> {
    this.queries += 1;
    if (this.down || this.misses-- > 0)
      throw fail('GATEWAY_UNAVAILABLE', 'No worker.', {}, { retryAfterMs: 5000 });
    const found = this.state.get(node);
    if (found?.ref?.requestId !== requestId) throw fail('OPERATION_OVER', 'The operation is over.');
    return found;
  }

  async agentLookup(
    id: { node: string; requestId: string },
    lookup: AgentLookup,
  ): Promise<{ heard: boolean }> {
    const access = await this.access(id);
    this.lookups.push(lookup);
    this.change(id.node, { mediaOpen: false });
    return { heard: access.agentHeard };
  }

  async agentHeartbeat(id: { node: string; requestId: string }, heartbeat: AgentHeartbeat): Promise<void> {
    await this.access(id);
    this.heartbeats.push(heartbeat);
    const { callbackUrl, certificate } = heartbeat;
    this.change(id.node, { agentHeard: true, callbackUrl, certificate });
  }

  async firstBoot(id: { node: string; requestId: string }, report: JsonObject): Promise<void> {
    await this.access(id);
    this.reports.push(report);
    this.change(id.node, { firstBootHeard: true });
  }
}

/** A base ISO with a reserved area, and something around it. */
export function baseIso(): Uint8Array {
  const area = Buffer.alloc(RESERVED_BYTES, '\n');
  area.write(`${MEDIA_MARKER}\n`);
  return iso9660({
    label: MEDIA_LABEL,
    files: [
      { path: 'boot/vmlinuz', bytes: Buffer.alloc(300_000, 'kernel') },
      { path: 'parameters.txt', bytes: area },
      { path: 'zz/last', bytes: Buffer.alloc(5000, 'z') },
    ],
  });
}

export interface Gateway {
  readonly app: FastifyInstance;
  readonly url: string;
  readonly operations: MemoryOperations;
  readonly tokens: Tokens;
  readonly inventory: Inventory;
  /** Everything that was logged, as text. */
  readonly logged: () => string;
  readonly token: (node: string, audience: Audience, window?: typeof WINDOW) => string;
  readonly close: () => Promise<void>;
}

/** Options for inventories whose parts differ. */
export interface GatewayChanges {
  readonly deps?: Partial<GatewayDeps>;
  readonly inventory?: (plain: Record<string, unknown>) => void;
  readonly iso?: Uint8Array;
}

export function memoryLog(): { log: Logger; logged: () => string } {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  return { log, logged: () => lines.join('') };
}

/** A gateway that listens on a loopback port, over operations in memory. */
export async function startGateway(changes: GatewayChanges = {}): Promise<Gateway> {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-gateway-'));
  const iso = join(folder, 'base.iso');
  const imagePath = join(folder, 'ubuntu.raw');
  writeFileSync(iso, changes.iso ?? baseIso());
  writeFileSync(imagePath, IMAGE);
  const plain: Record<string, unknown> = {
    site: 'lab',
    media: { gatewayUrl: 'http://gateway.example:8080', iso },
    networks: { provisioning: { cidr: '127.0.0.0/8', kind: 'provisioning' } },
    images: [
      {
        name: 'ubuntu',
        url: imagePath,
        format: 'raw',
        checksum: `sha256:${createHash('sha256').update(IMAGE).digest('hex')}`,
      },
    ],
    machineTypes: [{ name: 'gpu' }],
    nodes: Object.entries(MACS).map(([name, mac]) => ({
      name,
      type: 'gpu',
      bmc: { address: 'http://127.0.0.1:8000' },
      ports: [{ mac }],
      rootDevice: { serial: 'S1', minSizeGiB: 100 },
    })),
  };
  changes.inventory?.(plain);
  const inventory = Inventory.parse(plain);
  const { log, logged } = memoryLog();
  const operations = new MemoryOperations();
  operations.start('gpu-01');
  operations.start('gpu-02');
  const tokens = new Tokens(new Uint8Array(32).fill(7));
  const app = createGateway({
    site: 'lab',
    tokens,
    operations,
    contract: async () => inventory,
    log,
    rate: { perSecond: 1000, burst: 1000 },
    accessMs: 0,
    patience: { pausesMs: [1, 1], withinMs: 60_000 },
    ...changes.deps,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return {
    app,
    url: `http://127.0.0.1:${port}`,
    operations,
    tokens,
    inventory,
    logged,
    token: (node, audience, window = WINDOW) => tokens.mint(refOf(node), audience, window),
    close: () => app.close(),
  };
}

/** The code of an error answer. */
export async function codeOf(answer: Response): Promise<string> {
  const body = (await answer.json()) as { error: { code: string; message: string; correction: string } };
  return body.error.code;
}
