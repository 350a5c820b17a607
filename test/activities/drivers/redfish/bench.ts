import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { effectiveNode } from '../../../../contracts/inventory/effective.ts';
import type { Inventory } from '../../../../contracts/inventory/inventory.ts';
import { RackwrightError } from '../../../../core/errors/failure.ts';
import type { Json, JsonObject } from '../../../../core/json.ts';
import type { EvidenceRef, OperationRef, StepInput, StepOutput } from '../../../../core/operations.ts';
import { redfishPlan } from '../../../../core/plans/redfish.ts';
import type { Step } from '../../../../core/steps.ts';
import type { OperationVerbName } from '../../../../core/verbs.ts';
import { startLab, type RunningLab } from '../../../../lab/lab.ts';
import { FIRMWARE_AS_SHIPPED } from '../../../../lab/state.ts';
import type { StepContext } from '../../../../activities/drivers/driver.ts';
import { redfishDriver } from '../../../../activities/drivers/redfish/driver.ts';
import {
  fileInspectionStore,
  type InspectionStore,
} from '../../../../activities/inspections/inspection-store.ts';
import { requireInventory } from '../../../../activities/inventory/load.ts';
import { fileUpdateJournal, type UpdateJournal } from '../../../../activities/redfish/update-journal.ts';
import { closeAllBmcs } from '../../../../activities/redfish/transport.ts';
import { SecretSet } from '../../../../activities/secrets/redact.ts';
import { resolveSecret } from '../../../../activities/secrets/resolve.ts';
import type { Site } from '../../../../activities/site.ts';
import { Tokens } from '../../../../activities/tokens/tokens.ts';
import { freePorts } from '../../../../client/up/ports.ts';
import { createGateway } from '../../../../workers/gateway/gateway.ts';
import { memoryLog, MemoryOperations } from '../../../workers/gateway/fixture.ts';

/** One operation on a server of the lab, its steps called by hand, its call-backs through a real gateway. */
export interface Bench {
  readonly lab: RunningLab;
  /** The contract; one that is put in its place counts from the next operation on. */
  inventory: Inventory;
  readonly operations: MemoryOperations;
  readonly tokens: Tokens;
  readonly inspections: InspectionStore;
  readonly gatewayUrl: string;
  /** Every piece of evidence, by `requestId/step/name`. */
  readonly evidence: Map<string, Json>;
  /** Which updates of firmware are under way; on disk, as a worker keeps it. */
  readonly updates: UpdateJournal;
  readonly logged: () => string;
  /** What the lab says of a server. */
  readonly server: (node: string) => Promise<LabServer>;
  readonly log: (node: string) => Promise<LabEvent[]>;
  readonly faults: (node: string, faults: object) => Promise<void>;
  /** Brings a server back to the firmware that it was shipped with. */
  readonly oldFirmware: (node: string) => Promise<void>;
  readonly begin: (verb: OperationVerbName, node: string, args?: JsonObject, contract?: Inventory) => Running;
  readonly close: () => Promise<void>;
}

export interface LabServer {
  readonly power: string;
  readonly running: { readonly from: string } | null;
  readonly override: { readonly enabled: string; readonly target: string };
  readonly firmware: { readonly [component: string]: string };
  readonly tpm: { readonly sealed: readonly string[] };
  readonly media: { readonly [slot: string]: { readonly inserted: boolean } };
  readonly sessions: number;
  readonly disks: readonly {
    readonly serial: string;
    readonly image: { readonly digest: string } | null;
    readonly canaries: readonly unknown[];
  }[];
}
export interface LabEvent {
  readonly event: string;
  readonly [detail: string]: unknown;
}

/** An operation that goes step by step. */
export interface Running {
  readonly ref: OperationRef;
  readonly steps: readonly Step[];
  readonly outputs: Map<string, StepOutput>;
  context(step: string): StepContext;
  /** Runs one step, repeating it while it says "not yet". */
  step(id: string): Promise<StepOutput>;
  /** Runs all steps up to and including this one; all of them without it. */
  run(until?: string): Promise<void>;
  settle(): Promise<JsonObject>;
  end(): void;
}

/** A handling that is switched off is not waited for as long: test/field/disabled.ts. */
const BOUND_MS = process.env['RACKWRIGHT_WITHOUT'] === undefined ? 120_000 : 60_000;

/** Of the process, not of a bench: what the driver remembers of an attempt goes by node, request and generation. */
let generation = 1;

/** Waits until something is there. */
export async function until<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const ends = Date.now() + BOUND_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > ends) throw new Error(`waited in vain for ${what}`);
    await sleep(50);
  }
}

export async function startBench(options: { servers?: number; speed?: number } = {}): Promise<Bench> {
  const dir = mkdtempSync(join(tmpdir(), 'rackwright-bench-'));
  const port = (await freePorts(1))[0]!;
  const gatewayUrl = `http://127.0.0.1:${port}`;
  const lab = await startLab({
    dataDir: dir,
    servers: options.servers ?? 2,
    speed: options.speed ?? 25,
    gatewayUrl,
  });
  const inventory = await requireInventory(lab.inventory);
  const operations = new MemoryOperations();
  const tokens = new Tokens(new Uint8Array(32).fill(9));
  const inspections = fileInspectionStore(join(dir, 'inspections'));
  const { log, logged } = memoryLog();
  const app = createGateway({
    site: inventory.site,
    tokens,
    operations,
    contract: async () => self.inventory,
    log,
    rate: { perSecond: 100, burst: 100 },
    accessMs: 0,
  });
  await app.listen({ host: '127.0.0.1', port });
  const evidence = new Map<string, Json>();
  const updates = fileUpdateJournal(join(dir, 'firmware-updates'));
  const ask = async (path: string): Promise<unknown> => (await fetch(`${lab.controlUrl}${path}`)).json();

  const self: Bench = {
    lab,
    inventory,
    operations,
    tokens,
    inspections,
    gatewayUrl,
    evidence,
    updates,
    logged,
    server: async (node) => (await ask(`/servers/${node}`)) as LabServer,
    log: async (node) => ((await ask(`/servers/${node}/log`)) as { entries: LabEvent[] }).entries,
    faults: async (node, faults) => {
      const answer = await fetch(`${lab.controlUrl}/servers/${node}/faults`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(faults),
      });
      if (!answer.ok) throw new Error(`faults: ${await answer.text()}`);
    },
    oldFirmware: async (node) => {
      const answer = await fetch(`${lab.controlUrl}/servers/${node}/firmware`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(FIRMWARE_AS_SHIPPED),
      });
      if (!answer.ok) throw new Error(`firmware: ${await answer.text()}`);
    },
    begin(verb, node, args = {}, contract) {
      const ref: OperationRef = {
        site: inventory.site,
        node,
        // Of this bench alone: what the driver remembers of an operation is kept for the whole process.
        requestId: `${verb}-${port}-${generation}`,
        kind: verb,
        generation: generation++,
        contractHash: 'c'.repeat(64),
      };
      const window = { epoch: 1, expires: Math.floor(Date.now() / 1000) + 3600 };
      operations.begin(ref, window, args);
      operations.reports.length = 0;
      return running(ref, window, args, {
        inventory: contract ?? self.inventory,
        operations,
        tokens,
        inspections,
        evidence,
        updates,
      });
    },
    async close() {
      await closeAllBmcs();
      await app.close();
      await lab.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
  return self;
}

function running(
  ref: OperationRef,
  window: StepInput['window'],
  args: JsonObject,
  parts: Pick<Bench, 'inventory' | 'operations' | 'tokens' | 'inspections' | 'evidence' | 'updates'>,
): Running {
  const { inventory, operations, tokens, inspections, evidence, updates } = parts;
  const steps = redfishPlan(ref.kind as OperationVerbName, args)!;
  const outputs = new Map<string, StepOutput>();
  let data: JsonObject = {};

  const context = (step: string): StepContext => {
    const access = operations.state.get(ref.node);
    const { callbackUrl, certificate } = access ?? {};
    const input: StepInput = {
      ref,
      step,
      args,
      snapshot: { phase: 'available', returnTo: null, owner: null, image: null },
      data,
      window,
      agent: callbackUrl && certificate ? { callbackUrl, certificate, version: '13.0.0' } : null,
      firstBoot: operations.reports[0] ?? null,
    };
    return {
      input,
      site: { tokens, inspections, updates, name: ref.site, secrets: new SecretSet() } as unknown as Site,
      inventory,
      node: effectiveNode(inventory, ref.node),
      signal: new AbortController().signal,
      secret: (reference) => resolveSecret(reference),
      evidence: async (name, what): Promise<EvidenceRef> => {
        evidence.set(`${ref.requestId}/${step}/${name}`, what.answer);
        return { id: `${step}-${name}`, name, sha256: createHash('sha256').digest('hex'), bytes: 0 };
      },
    };
  };

  const repeat = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const ends = Date.now() + BOUND_MS;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof RackwrightError) || !error.failure.retryable) throw error;
        if (Date.now() > ends) throw new Error(`${what}: ${error.message}`, { cause: error });
        await sleep(Math.min(error.retryAfterMs ?? 200, 200));
      }
    }
  };

  const self: Running = {
    ref,
    steps,
    outputs,
    context,
    async step(id) {
      const output = await repeat(id, () => redfishDriver.steps[id]!(context(id)));
      data = { ...data, ...output.data };
      outputs.set(id, output);
      return output;
    },
    async run(last) {
      for (const step of steps) {
        if (step.awaits === 'agent') {
          await until('a deploy agent', () => operations.state.get(ref.node)?.certificate ?? undefined);
        }
        if (step.awaits === 'first-boot') await until('a first boot', () => operations.reports[0]);
        await self.step(step.id);
        if (step.id === last) return;
      }
    },
    async settle() {
      const settled = await repeat('settle', () =>
        redfishDriver.settle(context('settle'), ['media', 'override', 'power']),
      );
      return settled as unknown as JsonObject;
    },
    end: () => operations.end(ref.node),
  };
  return self;
}
