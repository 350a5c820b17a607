import { settingsObject } from '../../core/redfish/boot.ts';
import { asObject, at, linkOf, textsOf, type Loose } from '../../core/redfish/read.ts';
import type { RedfishResponse } from './errors.ts';
import { writeMatching } from './patch.ts';
import { tryResource, type Resource, type SystemFound } from './service.ts';
import type { Bmc } from './transport.ts';

/** The BIOS of a system, and the settings object that takes effect at the next reset. */
export interface BiosFound {
  readonly bios: Resource;
  /** Null where the BMC names no settings object, or cannot give it. */
  readonly settings: Resource | null;
}

export const attributesOf = (resource: Resource): Loose => asObject(resource.body['Attributes']);

/** Reads the BIOS and what waits for the next reset; null where the BMC has no BIOS resource. */
export async function readBios(bmc: Bmc, system: SystemFound): Promise<BiosFound | null> {
  const uri = linkOf(system.body['Bios']);
  const bios = uri === null ? null : await tryResource(bmc, uri);
  if (bios === null) return null;
  const pending = settingsObject(bios.body);
  return { bios, settings: pending === null ? null : await tryResource(bmc, pending) };
}

/**
 * Asks for attributes at the next reset, with If-Match where the BMC insists. Where the settings object is
 * there to be read only, the BIOS itself takes what is to be pending.
 */
export async function writeBios(
  bmc: Bmc,
  { bios, settings }: { readonly bios: Resource; readonly settings: Resource },
  attributes: { readonly [name: string]: string },
): Promise<RedfishResponse> {
  const times = textsOf(at(bios.body, '@Redfish.Settings', 'SupportedApplyTimes'));
  const body = {
    Attributes: attributes,
    // Without it some BMCs keep the setting, and never make the job that applies it.
    ...(times.includes('OnReset') ? { '@Redfish.SettingsApplyTime': { ApplyTime: 'OnReset' } } : {}),
  };
  const answer = await patch(bmc, settings, body);
  return answer.status === 405 ? patch(bmc, bios, body) : answer;
}

const patch = (bmc: Bmc, { uri }: Resource, body: object): Promise<RedfishResponse> =>
  writeMatching(bmc, 'PATCH', uri, { body });
