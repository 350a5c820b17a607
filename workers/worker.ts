import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import { dataDirPaths } from '../activities/datadir.ts';
import { keepLedger } from '../activities/redfish/session.ts';
import { SessionLedger } from '../activities/redfish/session-ledger.ts';
import { closeAllBmcs } from '../activities/redfish/transport.ts';
import { SecretSet } from '../activities/secrets/redact.ts';
import { fail } from '../core/errors/failure.ts';
import { siteQueue, WORKFLOW_QUEUE } from '../core/names.ts';
import { workerConfig } from './config.ts';
import { DRIVERS } from './drivers.ts';
import { createLogger } from './log.ts';
import { main, tellReady } from './main.ts';
import { onShutdown } from './shutdown.ts';
import { createSite } from './site.ts';
import { installRuntime } from './telemetry.ts';
import { connectNative } from './temporal/connect.ts';
import { ensureRetention, ensureSearchAttributes } from './temporal/namespace.ts';
import { reconcileSchedule } from './temporal/schedules.ts';
import { ensureWatch } from './temporal/watch.ts';
import { ACTIVATION_LIMIT, HEARTBEAT_THROTTLE } from './temporal/worker-options.ts';

/** Made by the build; all workers of one build run the very same workflow code. */
const BUNDLE = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url));
const GRACE = { shutdownGraceTime: '10s', shutdownForceTime: '30s' } as const;

await main('worker', async () => {
  const config = workerConfig(process.argv.slice(2), process.env);
  if (!existsSync(BUNDLE)) {
    throw fail('CONFIGURATION_INVALID', `${BUNDLE} is missing: run \`npm run build\` first.`);
  }
  const secrets = new SecretSet();
  const log = createLogger('worker', config.logLevel, secrets);
  installRuntime(log, config.metrics);
  const { connection, settings } = await connectNative(config, log);
  const { namespace } = settings;
  await ensureSearchAttributes(connection, namespace);
  if (!(await ensureRetention(connection, namespace))) {
    log.warn({ namespace }, 'the retention of the namespace is below 90 days and could not be raised');
  }
  const client = new Client({ connection, namespace });
  const site = await createSite({ config, log, secrets, client });
  keepLedger(await SessionLedger.open(dataDirPaths(config.dataDir).bmcSessions));

  await ensureWatch(client, site.name);
  await reconcileSchedule(client, site, log);
  const stopping = new AbortController();

  const workflows = await Worker.create({
    connection,
    namespace,
    taskQueue: WORKFLOW_QUEUE,
    workflowBundle: { codePath: BUNDLE },
    maxConcurrentWorkflowTaskExecutions: config.workflowSlots,
    workflowTaskPollerBehavior: { type: 'autoscaling', maximum: config.workflowSlots },
    ...ACTIVATION_LIMIT,
    ...GRACE,
  });
  const activities = await Worker.create({
    connection,
    namespace,
    taskQueue: siteQueue(site.name),
    activities: createActivities(site, DRIVERS, { stopping: stopping.signal }),
    // The watch of the site takes one for as long as it lives.
    maxConcurrentActivityTaskExecutions: config.activitySlots + 1,
    activityTaskPollerBehavior: { type: 'autoscaling', maximum: 20 },
    ...HEARTBEAT_THROTTLE,
    ...GRACE,
  });
  const workers = [workflows, activities];
  const stopAll = (): void => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    stopping.abort();
  };

  const ended = Promise.all(
    workers.map(async (worker) => {
      try {
        await worker.run();
      } finally {
        // One without the other does half the work: both end, and whoever supervises starts both anew.
        stopAll();
      }
    }),
  );
  onShutdown(log, async () => {
    stopAll();
    await ended;
    await closeAllBmcs();
    await connection.close();
  });
  log.info({ site: site.name, address: settings.address, namespace }, 'worker runs');
  tellReady({ site: site.name });
  await ended;
});
