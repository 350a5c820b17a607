import type { FirmwareComponent } from '../../../contracts/inventory/supply.ts';
import { fail } from '../../../core/errors/failure.ts';
import {
  inOrder,
  matching,
  standingOf,
  type FirmwareEntry,
  type FirmwareStanding,
} from '../../../core/redfish/firmware.ts';
import { serviceWork } from '../../../core/service-work.ts';
import { windowState, type Window } from '../../../core/windows.ts';
import type { FirmwareInventory } from '../../redfish/update-service.ts';
import type { StepContext } from '../driver.ts';

/** A component of a baseline, with who may bring it there and when. */
export interface BaselineComponent extends FirmwareComponent {
  readonly baseline: string;
  readonly windows: readonly Window[];
}

/** A component, and how the node's firmware stands to it. */
export interface Compared {
  readonly wanted: BaselineComponent;
  readonly standing: FirmwareStanding;
}

/**
 * What the contract wants of the node's firmware, in order: of the baseline that was asked for, or of all of
 * its type. Throws FIRMWARE_BASELINE_UNKNOWN, FIRMWARE_OWNED_ELSEWHERE.
 */
export function baselineOf({ inventory, node, input }: StepContext): BaselineComponent[] {
  const asked = serviceWork(input.args).firmware?.baseline ?? null;
  const ofType = (inventory.firmware?.baselines ?? []).filter(({ types }) => types.includes(node.type));
  const chosen = ofType.filter(({ name }) => asked === null || name === asked);
  if (chosen.length === 0) {
    const has = ofType.map(({ name }) => name).join(', ') || 'none';
    const what = asked === null ? 'no baseline' : `no baseline ${asked}`;
    throw fail(
      'FIRMWARE_BASELINE_UNKNOWN',
      `The contract has ${what} for type ${node.type}. Of that type: ${has}.`,
    );
  }
  for (const { name, owner = inventory.firmware?.owner } of chosen) {
    if (owner === 'rackwright') continue;
    const who = owner === undefined ? 'nobody: the contract names no owner' : `\`${owner}\``;
    throw fail('FIRMWARE_OWNED_ELSEWHERE', `Whose the firmware of baseline ${name} is: ${who}.`);
  }
  return inOrder(
    chosen.flatMap(({ name, windows, components }) =>
      components.map((each) => ({
        ...each,
        baseline: name,
        windows: windows ?? inventory.maintenance?.windows ?? [],
      })),
    ),
  );
}

/** Throws WINDOW_CLOSED, with when the next one opens, unless a component may be updated now. */
export const requireWindow = (context: StepContext, { baseline, windows }: BaselineComponent): void =>
  requireOpen(context, windows, `baseline ${baseline}`);

/** Throws WINDOW_CLOSED unless the site's maintenance windows let a host be restarted now. */
export const requireMaintenance = (context: StepContext, what: string): void =>
  requireOpen(context, context.inventory.maintenance?.windows ?? [], what);

function requireOpen({ inventory }: StepContext, windows: readonly Window[], what: string): void {
  const state = windowState(windows, inventory.maintenance?.timeZone ?? 'UTC', new Date());
  if (state.open) return;
  const next = state.next === null ? 'None ever opens' : `The next one opens ${state.next}`;
  throw fail('WINDOW_CLOSED', `No window for ${what} is open. ${next}.`);
}

/** How the node's firmware stands to each component. Throws FIRMWARE_COMPONENT_UNKNOWN. */
export function compareWith(
  components: readonly BaselineComponent[],
  { entries, unread }: FirmwareInventory,
): Compared[] {
  const claimed = new Map<string, string>();
  return components.map((wanted) => {
    const standing = standingOf(wanted, entries);
    if (standing === undefined) {
      if (unread !== null) {
        throw fail('BMC_ANSWER_INVALID', `${wanted.component} may be in what cannot be read: ${unread}.`);
      }
      throw fail(
        'FIRMWARE_COMPONENT_UNKNOWN',
        `The BMC has no component ${wanted.component}. It has: ${listed(entries)}.`,
      );
    }
    for (const { id } of standing.entries) {
      const other = claimed.get(id);
      if (other !== undefined) {
        throw fail(
          'FIRMWARE_COMPONENT_UNKNOWN',
          `${other} and ${wanted.component} of the baseline both mean ${id}.`,
        );
      }
      claimed.set(id, wanted.component);
    }
    return { wanted, standing };
  });
}

const listed = (entries: readonly FirmwareEntry[]): string =>
  entries
    .slice(0, 40)
    .map(({ id, name }) => (name === null || name === id ? id : `${name} (${id})`))
    .join(', ') || 'none';

/** Ids of everything that the baseline names. */
export const idsOf = (
  components: readonly BaselineComponent[],
  entries: readonly FirmwareEntry[],
): string[] => [
  ...new Set(components.flatMap(({ component }) => matching(component, entries).map(({ id }) => id))),
];
