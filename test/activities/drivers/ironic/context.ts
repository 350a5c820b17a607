import { Inventory } from '../../../../contracts/inventory/inventory.ts';
import { effectiveNode } from '../../../../contracts/inventory/effective.ts';
import type { StepContext } from '../../../../activities/drivers/driver.ts';
import type { Site } from '../../../../activities/site.ts';
import { Tokens } from '../../../../activities/tokens/tokens.ts';
import type { Json, JsonObject } from '../../../../core/json.ts';
import type { OperationKind } from '../../../../core/verbs.ts';

export const SHA = 'a'.repeat(64);

/** What an inventory of Ironic nodes must at least have. */
export function inventoryFor(url: string, nodes: readonly object[], more: object = {}): Inventory {
  return Inventory.parse({
    site: 'berlin',
    openstack: { ironic: { url } },
    machineTypes: [{ name: 'hgx' }],
    images: [
      { name: 'ubuntu', url: 'http://127.0.0.1:9/ubuntu.raw', checksum: `sha256:${SHA}`, format: 'raw' },
      {
        name: 'debian',
        url: 'http://127.0.0.1:9/debian.raw',
        checksum: `sha256:${'b'.repeat(64)}`,
        format: 'raw',
      },
      {
        name: 'cidata',
        url: 'http://127.0.0.1:9/ubuntu.raw',
        checksum: `sha256:${SHA}`,
        format: 'raw',
        configDrive: 'nocloud',
      },
      { name: 'local', url: '/srv/images/local.raw', checksum: `sha256:${SHA}`, format: 'raw' },
    ],
    nodes,
    ...more,
  });
}

export interface Kept {
  readonly name: string;
  readonly answer: Json;
}

/** A step's context by hand: one operation on one node. */
export function contextFor(given: {
  inventory: Inventory;
  node: string;
  kind: OperationKind;
  step: string;
  requestId?: string;
  args?: JsonObject;
  secrets?: { [reference: string]: string };
  kept?: Kept[];
}): StepContext {
  const { inventory, node, kind, step, args = {}, requestId = 'r-1', secrets = {}, kept = [] } = given;
  const tokens = new Tokens(new Uint8Array(32).fill(7));
  return {
    input: {
      ref: { site: inventory.site, node, requestId, kind, generation: 1, contractHash: 'h' },
      step,
      args,
      snapshot: { phase: 'enrolled', returnTo: null, owner: null, image: null },
      data: {},
      window: { epoch: 1, expires: 4_000_000_000 },
      agent: null,
      firstBoot: null,
    },
    site: { name: inventory.site, tokens } as unknown as Site,
    inventory,
    node: effectiveNode(inventory, node),
    signal: new AbortController().signal,
    secret: (reference) =>
      Object.hasOwn(secrets, reference)
        ? Promise.resolve(secrets[reference]!)
        : Promise.reject(new Error(`no secret ${reference}`)),
    evidence: (name, { answer }) => {
      kept.push({ name, answer });
      return Promise.resolve({ id: name, name, sha256: '0', bytes: 1 });
    },
  };
}
