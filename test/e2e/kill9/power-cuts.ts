import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Connected } from '../../../client/sdk/connect.ts';
import { Rackwright } from '../../../client/sdk/rackwright.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { OperationReport } from '../../../core/operations.ts';
import type { OperationVerbName } from '../../../core/verbs.ts';
import type { Product } from '../support/product.ts';
import { nameOf, type Point } from './points.ts';

/** One operation and where it was stopped. */
export interface Stopped {
  readonly node: string;
  readonly point: Point;
  /** When everything was up again. */
  readonly readyAt: number;
}

const PAUSE_MS = 200;
/** No step has less than 300 s for all its attempts: one that has waited longer than this may not come to its end. */
const PATIENCE_MS = 150_000;
const REACHED_MS = 240_000;

/** The product under power cuts: how it is asked, stopped dead, started again, and what came of it. */
export class PowerCuts {
  readonly #product: Product;
  readonly #site: string;
  readonly #pauses: string;
  #connected: Connected | undefined;
  kills = 0;

  constructor(product: Product, site: string, pauses: string) {
    this.#product = product;
    this.#site = site;
    this.#pauses = pauses;
  }

  /** Asks a node for a verb; answers the id of its workflow. */
  async request(node: string, verb: OperationVerbName, args: JsonObject = {}): Promise<string> {
    const ticket = await (await this.rackwright()).request(node, verb, { onFailure: 'fail', ...args });
    return ticket.workflowId;
  }

  async result(workflowId: string): Promise<OperationReport> {
    return (await this.rackwright()).result(workflowId);
  }

  async rackwright(): Promise<Rackwright> {
    this.#connected ??= await connect({ address: this.#product.urls.temporal, namespace: 'default' });
    return new Rackwright(this.#connected.client, this.#site);
  }

  /** Waits until every one of these steps waits to be killed. */
  async reached(verb: string, stops: readonly { node: string; point: Point }[]): Promise<void> {
    const files = stops.map(({ node, point }) => join(this.#pauses, nameOf(node, verb, point)));
    const deadline = Date.now() + REACHED_MS;
    for (let missing = files; missing.length > 0; missing = missing.filter((file) => !existsSync(file))) {
      if (Date.now() > deadline) throw new Error(`never came to ${missing.join(', ')}`);
      await sleep(PAUSE_MS);
    }
    const first = Math.min(...files.map((file) => statSync(file).mtimeMs));
    const waited = Date.now() - first;
    if (waited > PATIENCE_MS) {
      throw new Error(`too slow: a step waited ${Math.round(waited / 1000)} s and may have gone on`);
    }
  }

  /** Takes the power of all of the product, and starts it again; answers when it was ready. */
  async cut(): Promise<number> {
    await this.#connected?.close();
    this.#connected = undefined;
    await this.#product.kill9();
    this.kills += 1;
    await this.#product.restart();
    return Date.now();
  }

  async close(): Promise<void> {
    await this.#connected?.close();
    this.#connected = undefined;
  }
}

/** Seconds from `ready` until the step after the one that was stopped began; the end, after the last step. */
export function secondsToNext(report: OperationReport, { point, readyAt }: Stopped): number {
  const at = report.steps.findIndex(({ id }) => id === point.step);
  const next = report.steps[at + 1]?.startedAt ?? report.endedAt;
  if (at < 0 || next === undefined) throw new Error(`${report.node} has nothing after ${point.step}`);
  return (Date.parse(next) - readyAt) / 1000;
}

/** Seconds from `ready` until a step began, or the operation ended; undefined if it was over by then. */
export function secondsToProgress(report: OperationReport, readyAt: number): number | undefined {
  const after = [...report.steps.map(({ startedAt }) => startedAt), report.endedAt]
    .map((time) => (time === undefined ? NaN : Date.parse(time)))
    .filter((time) => time >= readyAt);
  return after.length === 0 ? undefined : (Math.min(...after) - readyAt) / 1000;
}
