import type { Inventory } from '../../contracts/inventory/inventory.ts';
import type { ErrorCode } from '../../core/errors/catalogue.ts';
import type { FaultDomain } from '../../core/fault-domains.ts';
import type { JsonObject } from '../../core/json.ts';
import type { OperationVerbName } from '../../core/verbs.ts';
import type { LabEvent } from '../activities/drivers/redfish/bench.ts';
import type { Lane } from './lane.ts';

export type Op = readonly [verb: OperationVerbName, args?: JsonObject];

/** One way in which a row of the field reports shows itself, and what has to come of it. */
export interface Case {
  readonly id: string;
  readonly what: string;
  /** The switches; each must fire while the operations run. */
  readonly faults: { readonly [name: string]: number | true };
  /** Switches of `faults` that may not fire: the driver never does what they wait for. `probe` does it, and they do. */
  readonly never?: readonly string[];
  /** Switches that may have nothing to do, since another one of the combination is before them. */
  readonly hidden?: readonly string[];
  readonly probe?: (lane: Lane) => Promise<unknown>;
  /** Run before the switches are on. */
  readonly before?: readonly Op[];
  /** The contract that the operations run under. @default that of the lab */
  readonly contract?: (inventory: Inventory) => Inventory;
  readonly prepare?: (lane: Lane) => Promise<unknown>;
  /** Run with the switches on. @default a deploy of a server that is off, then a clean */
  readonly ops?: readonly Op[];
  /** The right answer is this error, at this step of the first operation. `waits`: it may pass, and is tried again. */
  readonly fails?: {
    readonly step: string;
    readonly code: ErrorCode;
    readonly domain: FaultDomain;
    readonly waits?: true;
    readonly says?: RegExp;
  };
  /** What the log of the lab must say of it besides. */
  readonly check?: (events: readonly LabEvent[]) => void;
  /** Instead of running the operations. */
  readonly run?: (lane: Lane) => Promise<void>;
}
