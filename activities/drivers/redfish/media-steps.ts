import { convergeBootOnce, convergeNoOverride } from '../../redfish/boot.ts';
import { convergeMedia, convergeNoMedia } from '../../redfish/media.ts';
import type { MediaOptions } from '../../redfish/media-drives.ts';
import { credentialsOf } from '../../secrets/credentials.ts';
import type { StepContext, StepFunction } from '../driver.ts';
import { bootModeOf, onSystem, reached, sentence } from './bmc.ts';
import { mediaOf, mediaOurs } from './boot-session.ts';

/** Has the BMC hold the deploy media of this boot; one of an earlier boot gives way. */
export const insertMedia: StepFunction = (context) =>
  onSystem(context, async (bmc, system) => {
    const { url, ours } = mediaOf(context);
    const credentials = await mediaCredentials(context);
    return { summary: sentence(reached(await convergeMedia(bmc, system, url, { ours, credentials }))) };
  });

/** What the contract has for whatever stands before the gateway. The BMC's own account is none of its business. */
async function mediaCredentials({ inventory, secret }: StepContext): Promise<MediaOptions['credentials']> {
  const given = inventory.media?.credentials;
  return given && credentialsOf(given, secret);
}

/** The next boot comes from the virtual CD, once. */
export const setBoot: StepFunction = (context) =>
  onSystem(context, async (bmc, system) => ({
    summary: sentence(
      reached(await convergeBootOnce(bmc, system, 'Cd', { mode: bootModeOf(context), seen: system })),
    ),
  }));

/** Nothing of ours is in any drive. */
export const ejectMedia: StepFunction = (context) =>
  onSystem(context, async (bmc, system) => ({
    summary: sentence(reached(await convergeNoMedia(bmc, system, { ours: mediaOurs(context) }))),
  }));

/** No boot override is left. */
export const clearBoot: StepFunction = (context) =>
  onSystem(context, async (bmc, system) => ({
    summary: sentence(reached(await convergeNoOverride(bmc, system, { seen: system }))),
  }));
