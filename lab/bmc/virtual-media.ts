import type { Server } from '../server.ts';
import { noMedium, SLOTS, type Medium, type Slot } from '../state.ts';
import { collection, OK, resource, type Resource, type Tree } from './services.ts';

/** The drives of this server, in order. */
export const visibleSlots = (server: Server): Slot[] =>
  server.faults.on('firstSlotDead') || server.state.faults['firstSlotRefuses'] !== undefined
    ? ['Cd', 'Cd2', 'Usb']
    : ['Cd', 'Usb'];

/** Whether a drive takes InsertMedia. */
export const hasActions = (server: Server, slot: Slot): boolean =>
  !server.faults.on('mediaByPatch') &&
  !server.faults.on('noSlotInserts') &&
  !(slot === 'Cd' && server.faults.on('firstSlotDead'));

/** The virtual drives, under the system or the manager. */
export const mediaTree = (server: Server, owner: string): Tree => ({
  [`${owner}/VirtualMedia`]: () => collection(`${owner}/VirtualMedia`, 'VirtualMedia', visibleSlots(server)),
  ...Object.fromEntries(
    visibleSlots(server).map((slot) => [
      `${owner}/VirtualMedia/${slot}`,
      () => virtualMedia(server, owner, slot),
    ]),
  ),
});

function virtualMedia(server: Server, owner: string, slot: Slot): Resource {
  const path = `${owner}/VirtualMedia/${slot}`;
  const { image, inserted, writeProtected, transferMethod } = shownMedium(server, owner, slot);
  return resource(path, 'VirtualMedia.v1_6_0.VirtualMedia', `Virtual ${slot}`, {
    MediaTypes: SLOTS[slot].types,
    Image: image,
    ImageName: image === null ? null : (new URL(image).pathname.split('/').at(-1) ?? null),
    ...(server.faults.on('mediaByPatch') ? {} : { Inserted: inserted }),
    WriteProtected: writeProtected,
    ConnectedVia: inserted ? 'URI' : 'NotConnected',
    TransferMethod: transferMethod,
    ...(image === null ? {} : { TransferProtocolType: new URL(image).protocol.slice(0, -1).toUpperCase() }),
    Status: OK,
    ...(hasActions(server, slot)
      ? {
          Actions: {
            '#VirtualMedia.InsertMedia': { target: `${path}/Actions/VirtualMedia.InsertMedia` },
            '#VirtualMedia.EjectMedia': { target: `${path}/Actions/VirtualMedia.EjectMedia` },
          },
        }
      : {}),
  });
}

/** What is in the drive; a dead one never shows anything. */
const shownMedium = (server: Server, owner: string, slot: Slot): Medium => {
  const dead = owner.includes('/Systems/') && server.state.faults['systemMediaDead'] !== undefined;
  return dead ? noMedium() : (server.state.media[slot] ?? noMedium());
};
