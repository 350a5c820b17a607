import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Client, Connection } from '@temporalio/client';
import type { FastifyInstance } from 'fastify';
import { SecretSet } from '../activities/secrets/redact.ts';
import { keepSwept } from '../activities/secrets/sweep.ts';
import { temporalSettings } from '../activities/temporal/settings.ts';
import { fail } from '../core/errors/failure.ts';
import { gatewayConfig, type GatewayConfig } from './config.ts';
import { createGateway, temporalOperations } from './gateway/gateway.ts';
import { createLogger } from './log.ts';
import { main, tellReady } from './main.ts';
import { onShutdown } from './shutdown.ts';
import { createSite } from './site.ts';

await main('gateway', async () => {
  const config = gatewayConfig(process.argv.slice(2), process.env);
  const secrets = new SecretSet();
  const log = createLogger('gateway', config.logLevel, secrets);
  const { namespace, ...options } = temporalSettings(config);
  // Lazy: while Temporal is away the gateway answers that it is, and comes back by itself.
  const connection = Connection.lazy(options);
  const client = new Client({ connection, namespace });
  const site = await createSite({ config, log, secrets, client });
  const app = createGateway({
    site: site.name,
    tokens: site.tokens,
    operations: temporalOperations(client),
    contract: (hash) => site.contracts.load(hash),
    probes: site.probes,
    log,
  });
  const { url, server } = await listen(app, config);
  const endSweeps = keepSwept(site);
  onShutdown(log, async () => {
    endSweeps();
    server?.close();
    server?.closeAllConnections();
    await app.close();
    await connection.close();
  });
  log.info({ site: site.name, url }, 'gateway listens');
  tellReady({ site: site.name, url });
});

/** Throws PORT_TAKEN, or CONFIGURATION_INVALID. With a certificate, TLS stands before the same application. */
async function listen(
  app: FastifyInstance,
  { listen: { host, port }, tls }: GatewayConfig,
): Promise<{ url: string; server?: Server }> {
  try {
    if (tls === undefined) return { url: await app.listen({ host, port }) };
    await app.ready();
    const [cert, key] = await Promise.all([readFile(tls.cert), readFile(tls.key)]);
    const server = createServer({ cert, key, minVersion: 'TLSv1.2' }, app.routing);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    return { url: `https://${host}:${(server.address() as AddressInfo).port}`, server };
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw fail('PORT_TAKEN', `Port ${port} of ${host} is taken; choose another with --listen.`);
    }
    if (syscall !== 'listen') throw error;
    throw fail('CONFIGURATION_INVALID', `Nothing can listen on ${host}:${port} (${code}): correct --listen.`);
  }
}
