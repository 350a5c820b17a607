import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import { VANTAGE_WORKER } from '../../../contracts/inventory/vantage.ts';
import { fail } from '../../../core/errors/failure.ts';
import type { Json } from '../../../core/json.ts';
import { answerOf, judgePublished, type Asked, type HttpAnswer } from '../../../core/openstack/published.ts';
import type { EvidenceRef } from '../../../core/operations.ts';
import { cloudCa } from '../../openstack/ca.ts';
import { placesAt } from '../../vantage/places.ts';
import { eachTarget, type CheckContext, type CheckFunction, type Look } from '../check.ts';
import { withoutIronic } from './session.ts';

/** Asks an address, and keeps what came. Throws HTTP_UNANSWERED where it cannot be told. */
export async function lookAtAddress(
  context: CheckContext,
  vantage: string,
  asked: Asked,
): Promise<{ readonly found: Look; readonly evidence: readonly EvidenceRef[] }> {
  const answer = await askFrom(vantage, asked.url, context);
  const kept = await context.evidence(asked.url, {
    asked: `GET ${asked.url}, from ${asked.from}`,
    answer: answer as Json,
  });
  const judged = judgePublished(asked, answer);
  if ('untold' in judged)
    throw fail('HTTP_UNANSWERED', `${judged.untold}.`, {
      faultDomain: asked.faultDomain,
      details: { url: asked.url },
    });
  return { found: 'wrong' in judged ? { wrong: [judged.wrong] } : judged, evidence: [kept] };
}

/** Asks an address for its status alone, from the worker or from a vantage point. */
async function askFrom(vantage: string, url: string, context: CheckContext): Promise<HttpAnswer> {
  const [place] = await placesAt(vantage, context);
  const [probed] = await place.probe([{ url }], await cloudCa(context.inventory));
  return answerOf(probed!);
}

const publishersOf = ({ openstack }: Inventory): readonly string[] => openstack?.bareMetal?.publishers ?? [];

/** Boot images are published where BMCs fetch them. */
export const bootImagesPublished: CheckFunction = {
  skip: (inventory) =>
    withoutIronic(inventory) ??
    (publishersOf(inventory).length === 0
      ? 'the contract says not where BMCs fetch boot images (`openstack.bareMetal.publishers`)'
      : undefined),
  async run(context) {
    const { publishersFrom } = context.inventory.openstack?.bareMetal ?? {};
    const vantage = publishersFrom ?? VANTAGE_WORKER;
    const from = vantage === VANTAGE_WORKER ? 'the worker' : `vantage point ${vantage}`;
    const targets = publishersOf(context.inventory).map((name) => ({ name }));
    const result = await eachTarget(context, 'media-publisher', targets, ({ name: url }) =>
      lookAtAddress(context, vantage, {
        what: 'boot images',
        url,
        from,
        faultDomain: 'media-publisher',
        anyAnswer: false,
      }),
    );
    const where =
      publishersFrom === undefined
        ? 'asked from the worker, which does not show that BMCs reach it (gate 6 does)'
        : `asked from ${from}`;
    return { ...result, summary: `${result.summary}; ${where}` };
  },
};
