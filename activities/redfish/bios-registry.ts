import { RackwrightError } from '../../core/errors/failure.ts';
import { biosRegistry, type BiosRegistry } from '../../core/redfish/bios-registry.ts';
import { registryAnswersTo, registryUris, type NameMatch } from '../../core/redfish/bios-registry-file.ts';
import { asText, linkOf } from '../../core/redfish/read.ts';
import { collectionLinks, tryResource, type Resource, type SystemFound } from './service.ts';
import type { Bmc } from './transport.ts';

/** The attribute registry of a BIOS, or why there is none. */
export type RegistryFound =
  | { readonly registry: BiosRegistry; readonly name: string }
  | { readonly registry: null; readonly why: string };

const MOST_FILES = 64;
const MOST_KEPT = 64;
/** A registry is large, and slow to be had; some show as read-only what is so at the moment only. */
const FRESH_MS = 300_000;

const kept = new Map<string, { readonly at: number; readonly found: RegistryFound }>();

/** Finds the attribute registry that the BIOS names, and keeps it for a while. Never goes to another origin. */
export async function readBiosRegistry(
  bmc: Bmc,
  system: SystemFound,
  bios: Resource,
): Promise<RegistryFound> {
  const name = asText(bios.body['AttributeRegistry']);
  if (name === null) return { registry: null, why: 'the BIOS names no attribute registry' };
  const key = JSON.stringify([bmc.origin, name, asText(system.body['BiosVersion'])]);
  const known = kept.get(key);
  if (known !== undefined && Date.now() - known.at < FRESH_MS) return known.found;
  const found = await find(bmc, system, name);
  kept.delete(key);
  if (found.registry !== null) kept.set(key, { at: Date.now(), found });
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!);
  return found;
}

async function find(bmc: Bmc, system: SystemFound, name: string): Promise<RegistryFound> {
  const links = await collectionLinks(
    bmc,
    linkOf(system.root['Registries']) ?? '/redfish/v1/Registries',
    MOST_FILES * 4,
  );
  const near = (uri: string): number =>
    registryAnswersTo({ Id: uri.replace(/\/+$/, '').split('/').at(-1) }, name) === null ? 1 : 0;
  const sorted = links.toSorted((a, b) => near(a) - near(b)).slice(0, MOST_FILES);
  const others: { file: Resource; match: NameMatch }[] = [];
  for (const uri of sorted) {
    const file = await readable(bmc, uri);
    if (file === null) continue;
    const match = registryAnswersTo(file.body, name);
    if (match === 'exact') return load(bmc, file, name);
    if (match !== null) others.push({ file, match });
  }
  // One of another version is better than none; of two nobody knows which.
  if (others.length === 1) return load(bmc, others[0]!.file, name);
  return { registry: null, why: `the BMC does not have the attribute registry ${name}` };
}

async function load(bmc: Bmc, file: Resource, name: string): Promise<RegistryFound> {
  const itself = biosRegistry(file.body);
  if (itself !== null) return { registry: itself, name };
  const uris = registryUris(file.body);
  for (const uri of uris) {
    const registry = biosRegistry((await readable(bmc, uri))?.body);
    if (registry !== null) return { registry, name };
  }
  const why = uris.length === 0 ? 'is published elsewhere only' : 'cannot be read';
  return { registry: null, why: `the attribute registry ${name} ${why}` };
}

/** A resource; null where this one cannot be had or is not of this BMC. */
async function readable(bmc: Bmc, uri: string): Promise<Resource | null> {
  try {
    return await tryResource(bmc, uri);
  } catch (error) {
    const code = error instanceof RackwrightError ? error.failure.code : undefined;
    if (code === 'BMC_ANSWER_INVALID' || code === 'BMC_FOREIGN_ORIGIN') return null;
    throw error;
  }
}
