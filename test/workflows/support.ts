import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/activity';
import { isGrpcServiceError, WorkflowClient, type WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import {
  bundleWorkflowCode,
  DefaultLogger,
  Runtime,
  Worker,
  type ReplayHistoriesIterable,
} from '@temporalio/worker';
import pino from 'pino';
import type { GateCheck } from '../../activities/gates/check.ts';
import type { Driver, StepContext } from '../../activities/drivers/driver.ts';
import { fileEvidenceStore } from '../../activities/evidence/file-evidence-store.ts';
import { createActivities } from '../../activities/index.ts';
import { fileInspectionStore } from '../../activities/inspections/inspection-store.ts';
import { loadContract, storeContract } from '../../activities/inventory/contract-store.ts';
import { fileMediaProbes } from '../../activities/media-probes/store.ts';
import { fileRecordStore } from '../../activities/records/file-record-store.ts';
import { fileStandingStore } from '../../activities/standing/standing-store.ts';
import { fileBlobStore } from '../../activities/secrets/blob-store.ts';
import { SecretSet } from '../../activities/secrets/redact.ts';
import type { Site } from '../../activities/site.ts';
import { Tokens } from '../../activities/tokens/tokens.ts';
import { Inventory } from '../../contracts/inventory/inventory.ts';
import { untraced } from '../../core/errors/failure.ts';
import {
  NODE_TASK_TIMEOUT,
  nodeWorkflowId,
  operationWorkflowId,
  siteQueue,
  WORKFLOW_QUEUE,
} from '../../core/names.ts';
import type { NodeRecord } from '../../core/node.ts';
import type { OperationReport, StepInput, StepOutput, Ticket } from '../../core/operations.ts';
import { REDFISH_OBSERVED, redfishPlan } from '../../core/plans/redfish.ts';
import type { Residue } from '../../core/steps.ts';
import { ALL_VERBS, isOperationVerb, type Verb } from '../../core/verbs.ts';
import { ACTIVATION_LIMIT } from '../../workers/temporal/worker-options.ts';
import type { NodeState } from '../../workflows/messages.ts';

Runtime.install({ logger: new DefaultLogger('ERROR') });

export const SITE = 'test';
export const NODE = 'n1';

/** Bundles the workflows once per version of their sources; every test file runs in its own process. */
export async function workflowBundle(folder = 'workflows'): Promise<{ codePath: string }> {
  const hash = createHash('sha256');
  for (const root of new Set(['core', 'workflows', folder])) {
    for (const file of (await readdir(root, { recursive: true })).sort()) {
      if (file.endsWith('.ts')) hash.update(file).update(await readFile(join(root, file)));
    }
  }
  const codePath = join('.rackwright', 'test', `bundle-${hash.digest('hex').slice(0, 16)}.js`);
  if (!existsSync(codePath)) {
    const { code } = await bundleWorkflowCode({
      workflowsPath: join(process.cwd(), folder, 'index.ts'),
      logger: new DefaultLogger('ERROR'),
    });
    await mkdir(join('.rackwright', 'test'), { recursive: true });
    const temporary = `${codePath}.${process.pid}`;
    await writeFile(temporary, code);
    await rename(temporary, codePath);
  }
  return { codePath };
}

export const INVENTORY = Inventory.parse({
  site: SITE,
  media: { gatewayUrl: 'http://127.0.0.1:1', iso: 'base.iso' },
  networks: { provisioning: { cidr: '127.0.0.0/8', kind: 'provisioning' } },
  images: ['a', 'b'].map((name) => ({
    name,
    url: `file:///${name}.raw`,
    checksum: `sha256:${'0'.repeat(64)}`,
    format: 'raw',
  })),
  machineTypes: [{ name: 'plain' }],
  nodes: [1, 2, 3].map((i) => ({
    name: `n${i}`,
    type: 'plain',
    bmc: {
      address: `https://127.0.0.${i}`,
      credentials: { username: 'u', password: 'env:RACKWRIGHT_TEST_PASSWORD' },
    },
    ports: [{ mac: `52:54:00:00:00:0${i}` }],
  })),
});

type Scripted = (input: StepInput, context: StepContext) => Promise<StepOutput | undefined>;

/** A driver with the Redfish driver's plans and whatever a test makes its steps do. */
export class ScriptedDriver implements Driver {
  readonly name = 'redfish';
  /** `step` for each attempt that ran to its end, in order. */
  readonly calls: string[] = [];
  readonly settled: Residue[][] = [];
  /** What a step does instead of passing; by id. */
  readonly script: { [step: string]: Scripted } = {};
  /** Answers of observed facts; what is not named is true. */
  readonly world: { [fact: string]: boolean } = {};
  /** What cannot be removed. */
  stuck: Residue[] = [];
  readonly steps: Driver['steps'];
  readonly facts: { [fact: string]: Driver['facts'][string] };

  constructor() {
    const ids = ALL_VERBS.filter(isOperationVerb).flatMap((verb) =>
      (redfishPlan(verb, {}) ?? []).map((s) => s.id),
    );
    this.steps = Object.fromEntries(
      [...new Set(ids)].map((id) => [
        id,
        async (context: StepContext): Promise<StepOutput> => {
          const output = await this.script[id]?.(context.input, context);
          this.calls.push(id);
          return output ?? { summary: `${id} passed` };
        },
      ]),
    );
    this.facts = Object.fromEntries(
      REDFISH_OBSERVED.map((fact) => [fact, async () => this.world[fact] ?? true]),
    );
  }

  onSettle: () => void = () => undefined;
  beforeSettle?: () => Promise<void>;

  async settle(_context: StepContext, residue: readonly Residue[]) {
    this.onSettle();
    await this.beforeSettle?.();
    this.settled.push([...residue]);
    const left = residue.filter((r) => this.stuck.includes(r));
    const off = residue.includes('power') && !left.includes('power');
    return { left, summary: `settled ${residue.join(', ')}`, ...(off ? { data: { power: 'off' } } : {}) };
  }

  async capture() {
    return { state: 'captured' };
  }
}

/** A site with file stores in a folder of its own, and workers that run its workflows and activities. */
export class House {
  readonly driver = new ScriptedDriver();
  readonly records;
  readonly evidence;
  readonly environment: TestWorkflowEnvironment;
  readonly #folder: string;
  /** The contract as its file stands now. */
  inventory = INVENTORY;
  /** The checks of acceptance runs. */
  checks: readonly GateCheck[] = [];
  /** How often the second witness looks. */
  watchMs = 200;
  site!: Site;
  #client: WorkflowClient | undefined;
  /** First runs of the entities that were opened. */
  readonly #entities: { workflowId: string; runId: string }[] = [];
  #running: { worker: Worker; done: Promise<void>; kind: 'workflows' | 'activities' }[] = [];

  private constructor(environment: TestWorkflowEnvironment, folder: string) {
    this.environment = environment;
    this.#folder = folder;
    this.records = fileRecordStore<NodeRecord>(join(folder, 'records'));
    this.evidence = fileEvidenceStore(join(folder, 'evidence'));
  }

  static async build(environment: TestWorkflowEnvironment): Promise<House> {
    const house = new House(environment, await mkdtemp(join(tmpdir(), 'rackwright-house-')));
    await house.start();
    return house;
  }

  async start(): Promise<void> {
    const folder = this.#folder;
    const site: Site = {
      name: SITE,
      inventory: async () => this.inventory,
      contracts: {
        store: (inventory) => storeContract(join(folder, 'contracts'), inventory),
        load: (hash) => loadContract(join(folder, 'contracts'), hash),
      },
      records: this.records,
      evidence: this.evidence,
      inspections: fileInspectionStore(join(folder, 'inspections')),
      standing: fileStandingStore(join(folder, 'standing')),
      promoted: async () => undefined,
      updates: undefined as never,
      probes: fileMediaProbes(join(folder, 'media-probes')),
      blobs: fileBlobStore(join(folder, 'blobs'), new Uint8Array(32)),
      tokens: new Tokens(new Uint8Array(32)),
      secrets: new SecretSet(),
      secret: async () => 'secret',
      client: this.environment.client,
      log: pino({ level: 'silent' }),
    };
    this.site = site;
    await this.startWorkflows();
    await this.startActivities();
  }

  async startWorkflows(): Promise<void> {
    const worker = await Worker.create({
      connection: this.environment.nativeConnection,
      taskQueue: WORKFLOW_QUEUE,
      workflowBundle: await workflowBundle(),
      maxConcurrentWorkflowTaskExecutions: 10,
      ...ACTIVATION_LIMIT,
    });
    this.#running.push({ worker, done: worker.run(), kind: 'workflows' });
  }

  async startActivities(): Promise<void> {
    const worker = await Worker.create({
      connection: this.environment.nativeConnection,
      taskQueue: siteQueue(SITE),
      activities: hurried(
        createActivities(this.site, [this.driver], { checks: this.checks }),
        () => this.watchMs,
      ),
      // Cancellations reach a running step with its next heartbeat.
      maxHeartbeatThrottleInterval: '200ms',
    });
    this.#running.push({ worker, done: worker.run(), kind: 'activities' });
  }

  async stopWorkers(kind?: 'workflows' | 'activities'): Promise<void> {
    const stopping = this.#running.filter((running) => kind === undefined || running.kind === kind);
    this.#running = this.#running.filter((running) => !stopping.includes(running));
    for (const { worker } of stopping) if (worker.getState() === 'RUNNING') worker.shutdown();
    await Promise.all(stopping.map(({ done }) => done));
  }

  /** Not the environment's own, which skips time whenever a result is awaited: `environment.sleep` does. */
  get client(): WorkflowClient {
    this.#client ??= new WorkflowClient({ connection: this.environment.connection });
    return this.#client;
  }

  entity(node = NODE): WorkflowHandle {
    return this.client.getHandle(nodeWorkflowId(SITE, node));
  }

  operation(requestId: string, node = NODE): WorkflowHandle {
    return this.client.getHandle(operationWorkflowId(SITE, node, requestId));
  }

  /** Starts the entity if it does not run, and waits until it has read its record. */
  async open(node = NODE): Promise<WorkflowHandle> {
    const handle = await this.client.start('node', {
      workflowId: nodeWorkflowId(SITE, node),
      taskQueue: WORKFLOW_QUEUE,
      args: [{ site: SITE, node }],
      workflowTaskTimeout: NODE_TASK_TIMEOUT,
      workflowIdConflictPolicy: 'USE_EXISTING',
    });
    const { firstExecutionRunId } = handle;
    this.#entities.push({ workflowId: handle.workflowId, runId: firstExecutionRunId });
    await until(async () => (await this.state(node)).supports.length > 0);
    return handle;
  }

  state(node = NODE): Promise<NodeState> {
    return asked(() => this.entity(node).query<NodeState>('state'));
  }

  /** Sends a verb as an update. */
  send(verb: Verb, argument: unknown = {}, node = NODE): Promise<Ticket> {
    return this.entity(node).executeUpdate<Ticket, [unknown]>(verb, { args: [argument] });
  }

  /** The result of an operation that was asked for, perhaps by a signal that is not worked off yet. */
  async result(requestId: string, node = NODE, seconds = 60): Promise<OperationReport> {
    const exists = () =>
      this.operation(requestId, node)
        .describe()
        .then(
          () => true,
          () => false,
        );
    await until(exists, { seconds, what: `operation ${requestId}` });
    return this.operation(requestId, node).result() as Promise<OperationReport>;
  }

  progress(requestId: string, node = NODE): Promise<OperationReport> {
    return asked(() => this.operation(requestId, node).query<OperationReport>('progress'));
  }

  /** Runs a verb to its end. */
  async run(verb: Verb, argument: object = {}, node = NODE): Promise<OperationReport> {
    const { operationId } = await this.send(verb, { onFailure: 'fail', ...argument }, node);
    const report = await this.result(operationId, node);
    await until(async () => (await this.state(node)).operation === null);
    return report;
  }

  /** Plays the deploy agent's and the guest's part of every operation, as the gateway passes it on. */
  answerCallbacks(): void {
    const { script } = this.driver;
    script['boot-agent'] = async ({ ref, window }) => {
      await this.heartbeat(ref.requestId, window.epoch, ref.node);
      return undefined;
    };
    script['boot-disk'] = async ({ ref }) => {
      const update: { args: [unknown] } = { args: [{ hostname: ref.node }] };
      if (ref.kind !== 'power')
        await this.operation(ref.requestId, ref.node).executeUpdate<void, [unknown]>('firstBoot', update);
      return undefined;
    };
  }

  heartbeat(requestId: string, epoch: number, node = NODE): Promise<unknown> {
    const args: [unknown] = [
      { epoch, callbackUrl: 'https://127.0.0.1:9999', certificate: CERTIFICATE, version: '13.0.0' },
    ];
    return this.operation(requestId, node).executeUpdate<void, [unknown]>('agentHeartbeat', { args });
  }

  /** Brings a node to `available`. */
  async makeAvailable(node = NODE): Promise<void> {
    await this.open(node);
    await this.run('enroll', {}, node);
    await this.run('clean', {}, node);
  }

  /** Replays every history of this server against today's workflows, then takes the house down. */
  async close(): Promise<void> {
    await this.stopWorkers();
    await this.replayAll();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async replayAll(bundle?: { codePath: string }): Promise<number> {
    const code = bundle ?? (await workflowBundle());
    let replayed = 0;
    for await (const { workflowId, error } of Worker.runReplayHistories(
      { workflowBundle: code },
      this.histories(),
    )) {
      if (error) throw new Error(`replay of ${workflowId}: ${error.message}`, { cause: error });
      replayed++;
    }
    if (replayed === 0) throw new Error('there was no history to replay');
    return replayed;
  }

  /** Every run of every entity and operation, from the entities' first runs onwards and down. */
  async *histories(): ReplayHistoriesIterable {
    const seen = new Set<string>();
    const queue: { workflowId: string; runId: string }[] = [...this.#entities];
    // Entities that a request started, too; the time-skipping server cannot list.
    if (!this.environment.supportsTimeSkipping) {
      for await (const { workflowId, runId } of this.client.list()) queue.push({ workflowId, runId });
    }
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { workflowId, runId } = next;
      if (seen.has(runId)) continue;
      seen.add(runId);
      const history = await this.client.getHandle(workflowId, runId).fetchHistory();
      for (const { workflowExecutionContinuedAsNewEventAttributes, ...event } of history.events ?? []) {
        const newer = workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
        if (newer) queue.push({ workflowId, runId: newer });
        const child = event.childWorkflowExecutionStartedEventAttributes?.workflowExecution;
        if (child?.workflowId && child.runId)
          queue.push({ workflowId: child.workflowId, runId: child.runId });
      }
      expectNoTraces(workflowId, history);
      yield { workflowId, history };
    }
  }
}

/** A stack trace names paths of the machine that the worker runs on, and Temporal's Web UI shows it. */
function expectNoTraces(workflowId: string, history: object): void {
  JSON.stringify(history, (key, value: unknown) => {
    if (key === 'stackTrace' && value) throw new Error(`${workflowId} keeps a stack trace: ${String(value)}`);
    return value;
  });
}

/** What the Web UI says of each timer that a workflow has started. */
export async function timerSummaries(handle: WorkflowHandle): Promise<string[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? [])
    .filter((event) => event.timerStartedEventAttributes)
    .map(({ userMetadata }) => Buffer.from(userMetadata?.summary?.data ?? '""').toString())
    .map((json) => JSON.parse(json) as string);
}

/** The second witness looks as often as the test wants it to. */
function hurried(activities: object, watchMs: () => number): object {
  const { watchOperation } = activities as { watchOperation: (input: unknown) => Promise<unknown> };
  return {
    ...activities,
    watchOperation: async (input: unknown) => {
      try {
        return await watchOperation(input);
      } catch (error) {
        const { message, type, details } = error as ApplicationFailure;
        throw untraced(
          ApplicationFailure.create({
            message,
            ...(type ? { type } : {}),
            ...(details ? { details } : {}),
            nextRetryDelay: watchMs(),
          }),
        );
      }
    },
  };
}

export const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n';

/** CANCELLED, DEADLINE_EXCEEDED, UNAVAILABLE. */
const GAVE_UP = [1, 4, 14];

/** Asks again where the server gave up a query: a busy machine may not replay a long history in its ten seconds. */
async function asked<T>(query: () => Promise<T>, seconds = 120): Promise<T> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    try {
      return await query();
    } catch (error) {
      const cause = (error as Error).cause ?? error;
      const gaveUp = isGrpcServiceError(cause) && GAVE_UP.includes(cause.code);
      if (!gaveUp || Date.now() > end) throw error;
    }
  }
}

/** Waits for a condition; fails with what it waited for. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  { seconds = 60, what = holds.toString() } = {},
): Promise<void> {
  const end = Date.now() + seconds * 1000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited ${seconds} s for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The catalogue's code that an update was refused with. */
export async function refusalOf(update: Promise<unknown>): Promise<string> {
  try {
    await update;
  } catch (error) {
    const { cause } = error as { cause?: { type?: string } };
    return cause?.type ?? String(error);
  }
  return 'accepted';
}
