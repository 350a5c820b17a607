import { fail } from '../../../core/errors/failure.ts';
import { cleaningFor } from '../../../core/ironic/erase.ts';
import { GOALS } from '../../../core/ironic/goals.ts';
import type { IronicNode } from '../../../core/ironic/node.ts';
import type { JsonObject } from '../../../core/json.ts';
import { pursue, report } from './pursue.ts';
import { step, theNode, type Session } from './session.ts';

/** Erases through manual cleaning, once per operation, and says what that proves. */
export const erase = step(async (session) => {
  const { context } = session;
  const { args, ref } = context.input;
  const wanted = ref.kind === 'clean' && args['erase'] === 'metadata' ? 'metadata' : 'full';
  const before = await theNode(session);
  const { deploy, bios, vendor } = before.interfaces;
  const cleaning = cleaningFor(
    { driver: before.driver, deploy: deploy ?? '', bios: bios ?? '', vendor: vendor ?? '' },
    wanted,
  );
  const { node, marker } = await pursue(session, GOALS.cleaned, (target): JsonObject =>
    target === 'clean' ? { clean_steps: cleaning.steps.map((each) => ({ ...each })) } : {},
  );
  const events = await eventsSince(session, node, marker?.since ?? null);
  const errors = events?.filter(
    (each) => each['severity'] === 'ERROR' && String(each['type']).includes('clean'),
  );
  if (errors !== undefined && errors.length > 0) {
    await report(session, node);
    throw fail(
      'IRONIC_ERASE_UNPROVEN',
      `Node ${node.name} is manageable again, but while it was cleaned Ironic recorded: ${String(errors[0]!['event'])}`,
      { details: { uuid: node.uuid, errors: errors.slice(0, 5) } },
    );
  }
  const steps = cleaning.steps.map((each) => `${each.interface}.${each.step}`).join(', ');
  const evidence = await context.evidence('erasure', {
    asked: `manual cleaning: ${steps}`,
    of: `Ironic node ${node.uuid}, deploy interface ${deploy}`,
    answer: {
      proof: cleaning.proof,
      cleanSteps: cleaning.steps.map((each) => ({ ...each })),
      askedAfter: marker?.since ?? null,
      endedAt: node.provisionUpdatedAt,
      history: events ?? null,
    },
  });
  const summary =
    cleaning.proof === 'none'
      ? `Cleaned by ${steps}. Nothing was erased: no erase proof from this driver's interfaces (deploy interface ${deploy} of ${node.driver} writes and erases no disk).`
      : `Erased by ${steps}; Ironic ended the cleaning without an error.`;
  return { summary, data: { erase: cleaning.proof }, evidence: [evidence] };
});

async function eventsSince(
  { ironic }: Session,
  node: IronicNode,
  since: string | null,
): Promise<JsonObject[] | undefined> {
  const events = await ironic.history(node.uuid);
  return events?.filter(({ at }) => since === null || at > since).map((event) => ({ ...event }));
}
