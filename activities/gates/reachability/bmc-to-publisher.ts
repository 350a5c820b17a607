import { notFree } from '../../../core/acceptance/node-standing.ts';
import { fail, RackwrightError } from '../../../core/errors/failure.ts';
import { shownUrl, type MediaAsked } from '../../../core/redfish/media.ts';
import { FETCH_SECONDS, judgeAccesses, neverAsked } from '../../../core/reachability/media-probe.ts';
import { credentialsOf } from '../../secrets/credentials.ts';
import { convergeMedia } from '../../redfish/media.ts';
import { untilReached } from '../../redfish/power.ts';
import type { SystemFound } from '../../redfish/service.ts';
import type { Bmc } from '../../redfish/transport.ts';
import { eachTarget, type CheckContext, type CheckFunction, type Look } from '../check.ts';
import { result } from '../physical/server.ts';
import { ejectProbes, nodeOf, noProbe, onBmc, openProbe } from './probe-media.ts';

/** How long a BMC may take until it shows the image. */
const INSERT_MS = 150_000;
const LOOK_MS = 500;

/** The BMC itself is made to ask the gateway for something, and the gateway says whether it did. */
export const bmcToPublisher: CheckFunction = {
  skip: noProbe,
  async run(context) {
    const { site } = context;
    const { name } = nodeOf(context);
    if ((await site.records.read(site.name, name)) === undefined) {
      return result(
        'skipped',
        `${name} was never enrolled: its BMC is not touched before (rackwright node enroll ${name})`,
      );
    }
    return eachTarget(context, 'management-network', [{ name }], async () => {
      const generation = await generationOfFree(context);
      const { found, url } = await onBmc(context, (bmc, system) =>
        inserted(context, bmc, system, generation),
      );
      const requests = (await site.probes.accesses(name)).map((each) => ({ ...each }));
      await site.probes.close(name);
      const evidence = await context.evidence(name, {
        asked: `the BMC of ${name} to fetch ${shownUrl(url)}, by virtual media; the requests are those that the gateway saw`,
        answer: { requests, left: 'no drive holds a probe image' },
      });
      return { found, evidence: [evidence] };
    });
  },
};

/** Has the BMC hold a probe image for a moment. Once it is opened, it stays so until no drive holds it. */
async function inserted(
  context: CheckContext,
  bmc: Bmc,
  system: SystemFound,
  generation: number,
): Promise<{ found: Look; url: string }> {
  await ejectProbes(bmc, system);
  const url = await openProbe(context, generation);
  try {
    return { found: await look(context, bmc, system, url), url };
  } finally {
    await ejectProbes(bmc, system);
  }
}

/** Only a node that is free is touched: of another, nobody can tell. Throws CHECK_NOT_MADE. */
async function generationOfFree(context: CheckContext): Promise<number> {
  const { name } = nodeOf(context);
  const { records, name: site } = context.site;
  const record = await records.read(site, name);
  const [first] = notFree(name, record);
  if (first === undefined) return record!.generation;
  throw fail('CHECK_NOT_MADE', `${first.message} Its BMC is given no media.`, {
    correction: first.correction,
    faultDomain: 'contract',
    retryable: false,
  });
}

/** What the BMC made of the image, and who asked for it. Throws what keeps it from being told. */
async function look(context: CheckContext, bmc: Bmc, system: SystemFound, url: string): Promise<Look> {
  const { name } = nodeOf(context);
  const given = context.inventory.media?.credentials;
  const credentials = given && (await credentialsOf(given, context.secret));
  const heard = async () => judgeAccesses(name, await context.site.probes.accesses(name));
  try {
    await untilReached<MediaAsked>(bmc, INSERT_MS, (asked) =>
      convergeMedia(bmc, system, url, { ours: [], only: true, credentials, asked }),
    );
  } catch (error) {
    if (!(error instanceof RackwrightError) || error.failure.code !== 'MEDIA_FETCH_FAILED') throw error;
    // It has asked, and was told no.
    const refused = await heard();
    return { wrong: [refused && 'wrong' in refused ? refused.wrong : error.failure] };
  }
  for (const ends = Date.now() + FETCH_SECONDS * 1000; ; await bmc.pause(LOOK_MS)) {
    const judged = await heard();
    if (judged) return 'right' in judged ? judged : { wrong: [judged.wrong] };
    if (Date.now() > ends) return { wrong: [neverAsked(name, new URL(url).origin)] };
  }
}

/** Whatever became of the look, nothing of it is left: neither in a drive, nor at the gateway. */
export const probeMediaEjected: CheckFunction = {
  skip: noProbe,
  async run(context) {
    const { name } = nodeOf(context);
    const { probes } = context.site;
    if (!(await probes.isOpen(name))) return result('skipped', 'no probe image is left to be ejected');
    return eachTarget(context, 'bmc', [{ name }], async () => {
      const { ejected } = await onBmc(context, ejectProbes);
      await probes.close(name);
      const evidence = await context.evidence(name, {
        asked: `which drives of the BMC of ${name} hold a probe image`,
        answer: { ejected, left: [] },
      });
      const which = ejected.length === 0 ? 'none was left' : `ejected from ${ejected.join(', ')}`;
      return { found: { right: which }, evidence: [evidence] };
    });
  },
};
