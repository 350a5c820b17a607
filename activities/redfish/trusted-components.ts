import { at, linkOf, linksOf } from '../../core/redfish/read.ts';
import { tpmsOf } from '../../core/redfish/tpm.ts';
import { collectionLinks, readIfThere, type Resource, type SystemFound } from './service.ts';
import type { Bmc } from './transport.ts';

const MOST = 8;

/**
 * The TPMs that are present and in use, in words, from everywhere that a BMC shows them: the system itself, the
 * trusted components that it links, or those of its chassis. What is there and cannot be read throws: a TPM that is
 * overlooked keeps what its owner left in it.
 */
export async function tpmsShown(bmc: Bmc, { body }: SystemFound): Promise<string[]> {
  const own = tpmsOf(body);
  if (own.length > 0) return own;
  const linked = linksOf(at(body, 'Links', 'TrustedComponents')).slice(0, MOST);
  const uris = linked.length > 0 ? linked : await ofChassis(bmc, body);
  const components: unknown[] = [];
  for (const uri of uris) components.push((await readIfThere(bmc, uri))?.body);
  return tpmsOf(body, components);
}

async function ofChassis(bmc: Bmc, system: Resource['body']): Promise<string[]> {
  const found: string[] = [];
  for (const uri of linksOf(at(system, 'Links', 'Chassis')).slice(0, MOST)) {
    const collection = linkOf((await readIfThere(bmc, uri))?.body['TrustedComponents']);
    if (collection === null || (await readIfThere(bmc, collection)) === null) continue;
    found.push(...(await collectionLinks(bmc, collection, MOST)));
  }
  return found;
}
