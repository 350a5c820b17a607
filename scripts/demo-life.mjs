// What the demo does with the lab's nodes: their life by the SDK, in parallel, and one fault on the way.
const IMAGE = 0;
const OWNER = 'demo';

/** Verbs that lead on from wherever an earlier demo has left a node. */
const WAY = {
  enrolled: ['enroll', 'clean'],
  'verify-failed': ['enroll', 'clean'],
  'inspect-failed': ['inspect', 'clean'],
  manageable: ['clean'],
  'clean-failed': ['clean'],
  available: [],
};
/** From any other phase the node is taken back first. */
const TAKE_BACK = ['release'];

/** Takes nodes through their life and prints the verdicts. @returns whether all went as it should */
export async function runLives(dist, system) {
  const [{ connect }, { Rackwright }, { Io }, { progressPrinter, verdictLines }, { requireInventory }] =
    await Promise.all([
      dist('client/sdk/connect.js'),
      dist('client/sdk/rackwright.js'),
      dist('client/cli/io.js'),
      dist('client/cli/progress.js'),
      dist('activities/inventory/load.js'),
    ]);
  const io = new Io(false);
  const { nodes, images, acceptance } = await requireInventory(system.inventory);
  const { client, close } = await connect({ address: system.temporalAddress, namespace: system.namespace });
  const rackwright = new Rackwright(client, system.site);
  const demo = {
    rackwright,
    io,
    image: images[IMAGE].name,
    rows: [],
    printer: (node, before) => progressPrinter(io, `${node} `, before),
    say: (node, text) => io.say(`${node} ${text}`),
    verdict: (report) => verdictLines(io, report),
  };
  try {
    const names = nodes.slice(0, 4).map((node) => node.name);
    const faulty = names.at(-1);
    io.say(`Web UI ${system.uiUrl ?? '-'}   gateway ${system.gatewayUrl}   lab ${system.labUrl}`);
    io.say(
      `${names.join(', ')} go through their life; ${faulty} gets a wrong image on the way. ${acceptance.node} is made ready for the gates.\n`,
    );
    const lives = names.map((name) =>
      name === faulty ? faultyLife(demo, name, system.labUrl) : goodLife(demo, name),
    );
    lives.push(prepareNode(demo, acceptance.node));
    const results = await Promise.allSettled(lives);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    printTable(demo, system);
    return demo.rows.every((row) => row.ok);
  } finally {
    await close();
  }
}

async function goodLife(demo, node) {
  if (!(await prepareNode(demo, node))) return;
  for (const [verb, message] of [
    ['deploy', { image: demo.image, owner: OWNER, hostname: node }],
    ['reimage', { image: demo.image }],
    ['release', {}],
  ]) {
    if (!(await step(demo, node, verb, message))) return;
  }
}

/** A deploy whose image arrives damaged: it is held with its evidence, corrected, and goes on. */
async function faultyLife(demo, node, labUrl) {
  if (!(await prepareNode(demo, node))) return;
  await setFaults(labUrl, node, { wrongImageBytes: 1 });
  const message = { image: demo.image, owner: OWNER, hostname: node };
  const held = await step(demo, node, 'deploy', message, 'held');
  if (!held) return;
  demo.say(node, `corrected: the source of the image is repaired; the operation is resumed`);
  await setFaults(labUrl, node, undefined);
  const workflowId = demo.rackwright.operationId(node, held.requestId);
  await demo.rackwright.control(workflowId, 'resume', {});
  record(demo, node, 'resume', workflowId, await follow(demo, node, workflowId, held), 'pass');
  await step(demo, node, 'release', {});
}

/** Brings a node to available from wherever it is. */
async function prepareNode(demo, node) {
  const state = await demo.rackwright.state(node);
  if (state?.operation) {
    const { requestId } = state.operation;
    demo.say(node, `operation ${requestId} of an earlier run is aborted`);
    const ticket = await demo.rackwright.request(node, 'abort', { reason: 'a new demo begins' });
    await demo.rackwright.result(ticket.workflowId);
    await until(async () => (await demo.rackwright.state(node))?.operation === null);
  }
  const phase = state ? (await demo.rackwright.state(node)).phase : 'enrolled';
  for (const verb of WAY[phase] ?? TAKE_BACK) if (!(await step(demo, node, verb, {}))) return false;
  return true;
}

/** Asks for a verb, follows it, and notes whether it ended as it should. */
async function step(demo, node, verb, message, expected = 'pass') {
  demo.say(node, `▸ ${verb}`);
  const ticket = await demo.rackwright.request(node, verb, message);
  const report = await follow(demo, node, ticket.workflowId);
  return record(demo, node, verb, ticket.workflowId, report, expected) ? report : undefined;
}

const follow = (demo, node, workflowId, before) =>
  demo.rackwright.follow(workflowId, { onReport: demo.printer(node, before), before });

function record(demo, node, verb, workflowId, report, expected) {
  const got = report.outcome ?? (report.held ? 'held' : 'running');
  for (const line of demo.verdict(report)) demo.say(node, line);
  const seconds =
    (Date.parse(report.endedAt ?? new Date().toISOString()) - Date.parse(report.startedAt)) / 1000;
  demo.rows.push({ node, verb, got, ok: got === expected, seconds, workflowId, phase: report.phase });
  return got === expected;
}

function printTable({ io, rows }, { uiUrl, namespace }) {
  const sorted = rows.sort((a, b) => (a.node < b.node ? -1 : a.node > b.node ? 1 : 0));
  const link = (id) =>
    uiUrl === null ? id : `${uiUrl}/namespaces/${namespace}/workflows/${encodeURIComponent(id)}`;
  const cells = sorted.map((row) => [
    row.node,
    row.verb,
    row.ok ? row.got : `${row.got} (unexpected)`,
    row.phase,
    `${row.seconds.toFixed(0)} s`,
    link(row.workflowId),
  ]);
  io.say('');
  for (const line of io.table(['NODE', 'VERB', 'VERDICT', 'PHASE', 'TOOK', 'WEB UI'], cells)) io.say(line);
  io.say(
    rows.every((row) => row.ok) ? '\nAll went as it should.' : '\nSomething went otherwise than it should.',
  );
}

async function setFaults(labUrl, node, faults) {
  const response = await fetch(`${labUrl}/servers/${node}/faults`, {
    method: faults === undefined ? 'DELETE' : 'PUT',
    ...(faults === undefined
      ? {}
      : { body: JSON.stringify(faults), headers: { 'content-type': 'application/json' } }),
  });
  if (!response.ok) throw new Error(`the lab refused ${JSON.stringify(faults)}: ${await response.text()}`);
}

async function until(holds, tries = 200) {
  for (let attempt = 0; attempt < tries; attempt += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the node is still busy');
}
