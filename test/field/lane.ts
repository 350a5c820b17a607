import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { redfishDriver } from '../../activities/drivers/redfish/driver.ts';
import { forgetMemory } from '../../activities/redfish/memory.ts';
import type { BmcEndpoint } from '../../activities/redfish/endpoint.ts';
import { forgetRefusedCredentials } from '../../activities/redfish/session.ts';
import { withBmc } from '../../activities/redfish/transport.ts';
import { RackwrightError, type Failure } from '../../core/errors/failure.ts';
import type { JsonObject } from '../../core/json.ts';
import type { OperationVerbName } from '../../core/verbs.ts';
import { startBench, type Bench, type LabEvent, type Running } from '../activities/drivers/redfish/bench.ts';
import type { Case, Op } from './row.ts';

export const NODE = 'node-001';
const OPS: readonly Op[] = [['deploy'], ['clean', { erase: 'metadata' }]];
/** The power that an operation leaves. */
const powerAfter = ([verb, args]: Op): string =>
  verb === 'deploy' || (verb === 'power' && args?.['state'] !== 'off') ? 'On' : 'Off';

/** One server with a gateway of its own, on which cases are played one after the other. */
export class Lane {
  readonly bench: Bench;
  readonly endpoint: BmcEndpoint;
  constructor(bench: Bench) {
    this.bench = bench;
    const dir = dirname(bench.lab.inventory);
    this.endpoint = {
      address: bench.inventory.nodes.find(({ name }) => name === NODE)!.bmc!.address,
      credentials: {
        username: 'admin',
        password: readFileSync(join(dir, 'secrets', 'bmc-password'), 'utf8').trim(),
      },
      tls: { ca: readFileSync(join(dir, 'ca.pem'), 'utf8') },
    };
  }

  static readonly open = async (): Promise<Lane> => new Lane(await startBench({ servers: 1, speed: 100 }));

  begin(verb: OperationVerbName, args: JsonObject = {}): Running {
    const image = verb === 'deploy' ? { image: this.bench.inventory.images[0]!.name } : {};
    return this.bench.begin(verb, NODE, { ...image, ...args });
  }

  /** A write of another client, past the driver and without a session; answers its status. */
  async write(method: 'POST' | 'PATCH', path: string, body: object): Promise<number> {
    return withBmc(
      { ...this.endpoint, auth: 'basic' },
      async (bmc) => (await bmc.send(method, `/redfish/v1${path}`, { body })).status,
    );
  }

  async clearFaults(): Promise<void> {
    await fetch(`${this.bench.lab.controlUrl}/servers/${NODE}/faults`, { method: 'DELETE' });
  }

  /** What the lab has logged since there were so many events. */
  async since(length: number): Promise<LabEvent[]> {
    return (await this.bench.log(NODE)).slice(length);
  }

  async operate(ops: readonly Op[]): Promise<void> {
    for (const [verb, args] of ops) {
      const operation = this.begin(verb, args);
      await operation.run();
      operation.end();
    }
  }

  /** Plays a case from beginning to end, and leaves the server switched off, with nothing in it. */
  async play(each: Case): Promise<void> {
    const { bench } = this;
    const { origin } = new URL(this.endpoint.address);
    forgetMemory(origin);
    forgetRefusedCredentials(origin);
    const { inventory } = bench;
    bench.inventory = each.contract?.(inventory) ?? inventory;
    try {
      await this.playUnder(each);
    } finally {
      bench.inventory = inventory;
    }
  }

  private async playUnder(each: Case): Promise<void> {
    const { bench } = this;
    await this.operate(each.before ?? []);
    await each.prepare?.(this);
    const begun = (await bench.log(NODE)).length;
    await bench.faults(NODE, each.faults);
    try {
      if (each.run !== undefined) await each.run(this);
      else if (each.fails !== undefined) await this.failing(each);
      else await this.succeeding(each.ops ?? OPS);
      await this.proveFired(each, begun);
    } catch (error) {
      await this.clearFaults();
      await this.makeSafe().catch(() => undefined);
      throw error;
    }
    await this.clearFaults();
    await this.makeSafe();
    expect((await this.since(begun)).filter(({ event }) => event === 'bmc-crashed')).toEqual([]);
  }

  private async succeeding(ops: readonly Op[]): Promise<void> {
    await this.operate(ops);
    const last = ops.at(-1)!;
    const end = await this.bench.server(NODE);
    expect(end.power).toBe(powerAfter(last));
    if (last[0] === 'deploy') expect(end.running?.from).toBe('disk');
    await this.nothingLeft();
  }

  private async failing({ ops = OPS, fails }: Case): Promise<void> {
    const { step, code, domain, says, waits } = fails!;
    const [verb, args] = ops[0]!;
    const begun = (await this.bench.log(NODE)).length;
    const operation = this.begin(verb, args);
    const before = operation.steps[operation.steps.findIndex(({ id }) => id === step) - 1];
    if (before !== undefined) await operation.run(before.id);
    for (let attempt = 0; attempt < (waits ? 3 : 1); attempt += 1) {
      const failure = await failureOf(
        waits ? redfishDriver.steps[step]!(operation.context(step)) : operation.step(step),
      );
      expect(failure).toMatchObject({ code, faultDomain: domain });
      expect(failure.retryable).toBe(waits === true);
      if (says !== undefined) expect(failure.message).toMatch(says);
    }
    operation.end();
    // Whatever went wrong, the machine was not started on hope.
    expect((await this.since(begun)).filter((e) => e.event === 'power' && e['state'] === 'On')).toEqual([]);
  }

  private async proveFired(each: Case, begun: number): Promise<void> {
    const { never = [], hidden = [], probe, check } = each;
    const events = await this.since(begun);
    const fired = (list: readonly LabEvent[]) =>
      new Set(list.filter(({ event }) => event === 'fault-fired').map((e) => String(e['fault'])));
    const names = Object.keys(each.faults);
    expect(names.filter((name) => !hidden.includes(name) && !fired(events).has(name))).toEqual([...never]);
    check?.(events);
    await probe?.(this);
    const all = fired(await this.since(begun));
    expect(names.filter((name) => !hidden.includes(name) && !all.has(name))).toEqual([]);
  }

  /** Settles what a case left; then the server is as it was before. */
  private async makeSafe(): Promise<void> {
    const operation = this.begin('clean');
    await operation.settle();
    operation.end();
    expect((await this.bench.server(NODE)).power).toBe('Off');
    await this.nothingLeft();
  }

  async nothingLeft(): Promise<void> {
    const { override, media, sessions } = await this.bench.server(NODE);
    expect(override.enabled).toBe('Disabled');
    expect(Object.values(media).filter((slot) => slot.inserted)).toEqual([]);
    expect(sessions).toBeLessThanOrEqual(1);
  }
}

export async function failureOf(work: Promise<unknown>): Promise<Failure> {
  try {
    await work;
  } catch (error) {
    if (error instanceof RackwrightError) return error.failure;
    throw error;
  }
  throw new Error('it ended well, and should have failed');
}
