import { tryResource } from './service.ts';
import type { RedfishResponse } from './errors.ts';
import type { Bmc, SendOptions } from './transport.ts';

/** A BMC that is written to by others too may change a resource between our reading and our writing. */
const TRIES = 3;

/**
 * Writes to a resource, or calls an action of it. A BMC that insists on If-Match (428, or 412 to some) gets
 * the ETag as it gives it, and from then on at once; one whose ETag was old by then, the next one.
 */
export async function writeMatching(
  bmc: Bmc,
  method: 'PATCH' | 'POST',
  resource: string,
  options: SendOptions & { readonly target?: string },
): Promise<RedfishResponse> {
  const { target = resource, ...sent } = options;
  const known = bmc.memory.wantsIfMatch.has(resource);
  for (let tries = 1; ; tries += 1) {
    const blind = tries === 1 && !known;
    const ifMatch = blind ? {} : { ifMatch: await etagOf(bmc, resource) };
    const answer = await bmc.send(method, target, { ...sent, ...ifMatch });
    if ((answer.status !== 428 && answer.status !== 412) || tries === TRIES) {
      if (answer.status < 400 && !blind) bmc.memory.wantsIfMatch.add(resource);
      return answer;
    }
  }
}

/** Any version will do where the BMC names none: what we ask for does not depend on what was there. */
const etagOf = async (bmc: Bmc, resource: string): Promise<string> =>
  (await tryResource(bmc, resource))?.etag ?? '*';
