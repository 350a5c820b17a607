import { createHash } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CheckContext } from '../../../../activities/gates/check.ts';
import type { Site } from '../../../../activities/site.ts';
import { Inventory } from '../../../../contracts/inventory/inventory.ts';
import type { EvidenceRef } from '../../../../core/operations.ts';
import { aSite } from '../../support.ts';

export const digest = (bytes: Uint8Array): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** A contract of these images and media, and nothing else. */
export const contractOf = (over: object): Inventory =>
  Inventory.parse({ site: 'test', networks: { provisioning: { cidr: '127.0.0.0/8' } }, ...over });

export interface Ran extends CheckContext {
  /** What was kept, by target. */
  readonly kept: { [target: string]: { asked: string; answer: unknown } };
  readonly told: object[];
}

/** What a check gets outside of a run. */
export async function aContext(
  inventory: Inventory,
  over: Partial<CheckContext> & { promoted?: Site['promoted'] } = {},
): Promise<Ran> {
  const { promoted, ...rest } = over;
  const kept: Ran['kept'] = {};
  const told: object[] = [];
  return {
    input: { site: 'test', runId: 'r1', contractHash: 'c', gate: 5, check: 'x', run: 1 },
    site: await aSite(promoted ? { promoted } : {}),
    inventory,
    signal: new AbortController().signal,
    secret: async () => 'secret',
    evidence: async (target, what) => {
      kept[target] = what;
      return { id: target } as unknown as EvidenceRef;
    },
    progress: (what) => void told.push(what),
    kept,
    told,
    ...rest,
  };
}

export interface Source {
  readonly url: string;
  close(): Promise<void>;
}

/** A server of images on a loopback port. */
export async function aSource(listener: RequestListener): Promise<Source> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
