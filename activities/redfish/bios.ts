import { settingsObject } from '../../core/redfish/boot.ts';
import { asObject, at, linkOf, sameUri, textsOf, type Loose } from '../../core/redfish/read.ts';
import type { BiosSettings } from '../../core/service-work.ts';
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

/** The BIOS with settings that can be written. */
export type WritableBios = BiosFound & { readonly settings: Resource };

export const attributesOf = (resource: Resource): Loose => asObject(resource.body['Attributes']);

/** Reads the BIOS and what waits for the next reset; null where the BMC has no BIOS resource. */
export async function readBios(bmc: Bmc, system: SystemFound): Promise<BiosFound | null> {
  const uri = linkOf(system.body['Bios']);
  const bios = uri === null ? null : await tryResource(bmc, uri);
  if (bios === null) return null;
  const pending = settingsObject(bios.body);
  // One that points back to the BIOS stands for none.
  const own = pending !== null && !sameUri(pending, uri!);
  return { bios, settings: own ? await tryResource(bmc, pending) : null };
}

/** Whether a write may say that it applies at the next reset. */
export const takesApplyTime = (bios: Resource): boolean =>
  textsOf(at(bios.body, '@Redfish.Settings', 'SupportedApplyTimes')).includes('OnReset');

/**
 * Asks for attributes at the next reset, with If-Match where the BMC insists. Where the settings object is
 * there to be read only, the BIOS itself takes what is to be pending.
 */
export async function writeBios(
  bmc: Bmc,
  { bios, settings }: WritableBios,
  attributes: BiosSettings,
): Promise<RedfishResponse> {
  const body = {
    Attributes: attributes,
    // Without it some BMCs keep the setting, and never make the job that applies it.
    ...(takesApplyTime(bios) ? { '@Redfish.SettingsApplyTime': { ApplyTime: 'OnReset' } } : {}),
  };
  const answer = await patch(bmc, settings, body);
  return answer.status === 405 ? patch(bmc, bios, body) : answer;
}

const patch = (bmc: Bmc, { uri }: Resource, body: object): Promise<RedfishResponse> =>
  writeMatching(bmc, 'PATCH', uri, { body });
