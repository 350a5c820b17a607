// What the demo does with the lab's control plane: the seven gates, one of which fails, is corrected, and run again.
const FAULT = { service: 'nova', switches: { computeDown: true } };
const TOLD = 'a nova-compute of the lab is stopped: gate 3 has to stop the run there';

/** Runs the gates of the lab's contract and prints the verdict. @returns whether all went as it should */
export async function runGates(dist, system) {
  const [{ connect }, { AcceptanceRuns }, { Io }, { gatePrinter, runVerdict }] = await Promise.all([
    dist('client/sdk/connect.js'),
    dist('client/sdk/acceptance.js'),
    dist('client/cli/io.js'),
    dist('client/cli/gates.js'),
  ]);
  const io = new Io(false);
  const { client, close } = await connect({ address: system.temporalAddress, namespace: system.namespace });
  const runs = new AcceptanceRuns(client, system.site);
  const followed = async (runId, before) => {
    const report = await runs.follow(runId, { onReport: gatePrinter(io, before), before });
    for (const line of runVerdict(io, report)) io.say(line);
    return report;
  };
  try {
    io.say(`\nThe gates of the site; ${TOLD}.\n`);
    await endHeld(runs);
    await setFaults(system.labUrl, FAULT.switches);
    const { runId } = await runs.start({ reason: 'demo' });
    const stopped = await followed(runId);
    await setFaults(system.labUrl, undefined);
    if (!stopped.held || stopped.stoppedAt !== 3) return false;
    io.say('\ncorrected: nova-compute is started again; the run is resumed\n');
    await runs.control(runId, 'resume', {});
    const { outcome } = await followed(runId, stopped);
    io.say(`\nThe report: npx rackwright acceptance report ${runId} --out report.html`);
    return outcome === 'pass';
  } finally {
    await close();
  }
}

/** A run of an earlier demo that nobody went on with holds the site. */
async function endHeld(runs) {
  for (const { runId } of await runs.list({ running: true })) {
    await runs.control(runId, 'abort', { reason: 'a new demo begins' });
    await runs.follow(runId);
  }
}

async function setFaults(labUrl, switches) {
  const response = await fetch(`${labUrl}/services/${FAULT.service}/faults`, {
    method: switches === undefined ? 'DELETE' : 'PUT',
    ...(switches === undefined
      ? {}
      : { body: JSON.stringify(switches), headers: { 'content-type': 'application/json' } }),
  });
  if (!response.ok) throw new Error(`the lab refused ${JSON.stringify(switches)}: ${await response.text()}`);
}
