// One of the two servers that are compared, in a process of its own: `publisher` or `static`. Says its URL and, when
// asked, what it has used since it was asked last.
import { randomBytes } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';

const [, , kind, iso] = process.argv;
const SAMPLE_MS = 20;

/** The gateway as it is built, over an operation that is always open. */
async function publisher() {
  const from = (path) => import(new URL(`../dist/${path}`, import.meta.url).href);
  const { createGateway } = await from('workers/gateway/gateway.js');
  const { Tokens } = await from('activities/tokens/tokens.js');
  const { Inventory } = await from('contracts/inventory/inventory.js');
  const { pino } = await import('pino');
  const inventory = Inventory.parse({
    site: 'bench',
    media: { gatewayUrl: 'http://127.0.0.1:1', iso },
    machineTypes: [{ name: 'gpu' }],
    nodes: [
      {
        name: 'n1',
        type: 'gpu',
        bmc: { address: 'http://127.0.0.1' },
        ports: [{ mac: '52:54:00:00:00:01' }],
      },
    ],
  });
  const ref = {
    site: 'bench',
    node: 'n1',
    requestId: 'r1',
    kind: 'deploy',
    generation: 1,
    contractHash: 'c'.repeat(64),
  };
  const window = { epoch: 1, expires: Math.floor(Date.now() / 1000) + 3600 };
  const access = { ref, window, mediaOpen: true, agentHeard: false, args: {} };
  const tokens = new Tokens(randomBytes(32));
  const app = createGateway({
    site: 'bench',
    tokens,
    operations: { access: async () => access },
    contract: async () => inventory,
    log: pino({ level: 'warn' }, process.stderr),
  });
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  return `${origin}/media/${tokens.mint(ref, 'media', window)}/n1.iso`;
}

/** What Node.js itself does with a file, and nothing more. */
async function plain() {
  const { size } = statSync(iso);
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': size });
    createReadStream(iso).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${server.address().port}/`;
}

let peak = 0;
let cpu = process.cpuUsage();
setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), SAMPLE_MS);
process.on('message', () => {
  const { user, system } = process.cpuUsage(cpu);
  process.send({ peak: Math.max(peak, process.memoryUsage.rss()), cpuSeconds: (user + system) / 1e6 });
  peak = 0;
  cpu = process.cpuUsage();
});
process.on('disconnect', () => process.exit());
process.send({ url: kind === 'publisher' ? await publisher() : await plain() });
