import { withTold } from '../../core/acceptance/standing.ts';
import type { VerdictMessage } from '../../core/acceptance/verdict-message.ts';
import { canonicalJson } from '../../core/canonical-json.ts';
import type { Site } from '../site.ts';
import { listenerOf } from '../standing/keep.ts';
import { post } from './post.ts';

type Needs = Pick<Site, 'name' | 'contracts' | 'inventory' | 'secret' | 'standing'>;

/**
 * Sends a change of verdict to the contract's webhook. Its id is the same for each attempt: whoever took one takes
 * the next for what it is. Throws WEBHOOK_FAILED.
 */
export async function tellVerdict(
  site: Needs,
  { message, contractHash }: { message: VerdictMessage; contractHash?: string },
): Promise<void> {
  const webhook = await listenerOf(site, contractHash);
  if (!webhook) return;
  await post({
    url: webhook.url,
    id: `verdict-${message.site}-${message.runId}`,
    body: canonicalJson(message),
    ...(webhook.secret === undefined ? {} : { secret: await site.secret(webhook.secret) }),
  });
  await site.standing.change(message.site, (standing) => withTold(standing, message.runId));
}
