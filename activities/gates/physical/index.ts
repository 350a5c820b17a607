import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import type { CheckFunction } from '../check.ts';
import { BY_DEPLOY } from './deploy/index.ts';
import { BY_NOVA } from './nova/index.ts';
import { PHYSICAL_IDS, type Path } from './path.ts';

/** The path that users of the site take. */
const pathOf = ({ openstack }: Inventory): Path => (openstack?.authUrl === undefined ? BY_DEPLOY : BY_NOVA);

/** How the checks of gate 7 are made, by id. */
export const PHYSICAL_FUNCTIONS: { readonly [id: string]: CheckFunction } = Object.fromEntries(
  PHYSICAL_IDS.map((id): [string, CheckFunction] => [
    id,
    {
      skip: (inventory) => pathOf(inventory)[id].skip?.(inventory),
      bounds: (inventory, least) => pathOf(inventory)[id].bounds?.(inventory, least) ?? least,
      run: (context) => pathOf(context.inventory)[id].run(context),
    },
  ]),
);
