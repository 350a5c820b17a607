import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { ironicDriver } from '../../activities/drivers/ironic/driver.ts';
import type { StepContext } from '../../activities/drivers/driver.ts';
import { IronicClient } from '../../activities/ironic/client.ts';
import { RackwrightError, type Failure } from '../../core/errors/failure.ts';
import type { IronicNode } from '../../core/ironic/node.ts';
import type { JsonObject } from '../../core/json.ts';
import type { StepOutput } from '../../core/operations.ts';
import { ironicPlan } from '../../core/plans/ironic.ts';
import type { OperationVerbName } from '../../core/verbs.ts';
import { contextFor, inventoryFor, type Kept } from '../activities/drivers/ironic/context.ts';

const SECRETS = { 'env:USER_DATA': '#cloud-config\n', 'env:BMC': 'hunter2-very-secret' };

export interface Given {
  readonly requestId?: string;
  readonly args?: JsonObject;
}

/** A node of an inventory, carried by Ironic's fake hardware. */
export const ironicNode = (name: string, more: object = {}): object => ({
  name,
  type: 'hgx',
  driver: 'ironic',
  ironic: { driver: 'fake-hardware', driverInfo: {} },
  ...more,
});

/** Drives the driver's steps as the product does, and Ironic as its operator would. */
export class Bench {
  readonly url: string;
  readonly nodes: readonly object[];
  readonly kept: Kept[] = [];

  constructor(url: string, nodes: readonly object[]) {
    this.url = url;
    this.nodes = nodes;
  }

  /** The context of one step; by default each verb is one operation. */
  context(
    node: string,
    kind: OperationVerbName,
    step: string,
    given: Given & { url?: string; images?: object[] } = {},
  ): StepContext {
    const { requestId = `${kind}-1`, args = {}, url = this.url, images } = given;
    const inventory = inventoryFor(url, this.nodes, {
      networks: { tenant: { cidr: '10.2.0.0/24', gateway: '10.2.0.1', dns: ['10.2.0.53'] } },
      ...(images === undefined ? {} : { images }),
    });
    return contextFor({ inventory, node, kind, step, requestId, args, secrets: SECRETS, kept: this.kept });
  }

  /** One attempt of a step. */
  once(...of: Parameters<Bench['context']>): Promise<StepOutput> {
    return ironicDriver.steps[of[2]]!(this.context(...of));
  }

  /** One step, tried again for as long as it says "not yet". */
  run(...of: Parameters<Bench['context']>): Promise<StepOutput> {
    return again(() => this.once(...of));
  }

  /** A whole verb, step by step. */
  async verb(node: string, kind: OperationVerbName, given: Given = {}): Promise<Map<string, StepOutput>> {
    const outputs = new Map<string, StepOutput>();
    for (const { id } of ironicPlan(kind, given.args ?? {})!)
      outputs.set(id, await this.run(node, kind, id, given));
    return outputs;
  }

  async asOperator<T>(run: (client: IronicClient) => Promise<T>): Promise<T> {
    const client = new IronicClient({ url: this.url });
    try {
      return await run(client);
    } finally {
      await client.close();
    }
  }

  node(name: string): Promise<IronicNode> {
    return this.asOperator(async (client) => (await client.node(name))!);
  }

  /** Waits until the node is seen in a state; `idle`: and no conductor holds it. */
  async seen(name: string, state: string, idle: 'idle' | 'busy'): Promise<void> {
    for (let looks = 0; looks < 400; looks++) {
      const now = await this.node(name);
      if (now.provisionState === state && (idle === 'busy' || now.reservation === null)) return;
      await new Promise((next) => setTimeout(next, 50));
    }
    throw new Error(`${name} was never seen ${state}: it is ${(await this.node(name)).provisionState}`);
  }
}

/** Tries again for as long as the answer is "not yet". */
export async function again<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 0; attempts < 60; attempts++) {
    try {
      return await attempt();
    } catch (cause) {
      if (!(cause instanceof RackwrightError) || !cause.failure.retryable) throw cause;
      await new Promise((next) => setTimeout(next, 200));
    }
  }
  throw new Error('it never converged');
}

/** The failure that a promise ends with. */
export async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  try {
    await promise;
  } catch (cause) {
    if (cause instanceof RackwrightError) return cause.failure;
    throw cause;
  }
  throw new Error('it did not fail');
}

export interface Served {
  readonly url: string;
  close(): Promise<void>;
}

async function listening(server: Server): Promise<Served> {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/** Serves one file, for a conductor that looks whether an image is there. */
export async function serving(content: string): Promise<Served> {
  const served = await listening(
    createServer((_, response) => {
      response.setHeader('content-length', content.length);
      response.end(content);
    }),
  );
  return { ...served, url: `${served.url}/image.raw` };
}

/** Passes requests on; the answers to one method are lost after the request was served. */
export function losingAnswers(to: string, method: string): Promise<Served> {
  return listening(
    createServer(async (request, response) => {
      const body = await buffer(request);
      const headers = Object.fromEntries(
        Object.entries(request.headers).filter(([name]) => /^(accept|content-type|x-)/.test(name)),
      ) as Record<string, string>;
      const answer = await fetch(to + request.url, {
        method: request.method!,
        headers,
        ...(body.length > 0 ? { body } : {}),
      });
      const text = await answer.text();
      if (request.method === method) return void request.socket.destroy();
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
    }),
  );
}
