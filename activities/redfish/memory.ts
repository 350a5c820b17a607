import type { InsertParameter, MediaAsked } from '../../core/redfish/media.ts';
import type { PowerAsked } from '../../core/redfish/power.ts';
import type { Loose } from '../../core/redfish/read.ts';

/**
 * What this process has learned from one BMC: which parameters an error named, which writes it refuses,
 * and what it was asked for a moment ago. Losing it costs a refused request or a repeated one, no more.
 */
export interface BmcMemory {
  /** What its manager said of itself, and when. */
  manager:
    { readonly at: number; readonly model: string | null; readonly firmware: string | null } | undefined;
  readonly insertWith: Set<InsertParameter>;
  /** Systems whose boot override goes to the settings object. */
  readonly bootThroughSettings: Set<string>;
  /** Systems whose override cannot be switched off. */
  readonly noDisabledOverride: Set<string>;
  /** Systems, or their settings objects, that want the boot mode with every change of the override. */
  readonly bootWithMode: Set<string>;
  /** Resources that are written to with If-Match only. */
  readonly wantsIfMatch: Set<string>;
  /** By system. */
  readonly power: Map<string, PowerAsked>;
  /** By system. */
  readonly media: Map<string, MediaAsked>;
  /** File names of the images that were inserted. */
  readonly mediaNames: Set<string>;
  /** Drives that accepted an image and never showed it: tried last. */
  readonly deadDrives: Set<string>;
  /** By drive: when it was asked to eject. */
  readonly ejects: Map<string, number>;
  /** The service root, and when it was read. */
  root: { readonly body: Loose; readonly at: number } | null;
}

const memories = new Map<string, BmcMemory>();

/** The memory of the BMC at this origin, for the life of the process. */
export function memoryOf(origin: string): BmcMemory {
  const known = memories.get(origin);
  if (known !== undefined) return known;
  const fresh: BmcMemory = {
    manager: undefined,
    insertWith: new Set(),
    bootThroughSettings: new Set(),
    noDisabledOverride: new Set(),
    bootWithMode: new Set(),
    wantsIfMatch: new Set(),
    power: new Map(),
    media: new Map(),
    mediaNames: new Set(),
    deadDrives: new Set(),
    ejects: new Map(),
    root: null,
  };
  memories.set(origin, fresh);
  return fresh;
}

/** Forgets what was learned: from one BMC, or from all. */
export function forgetMemory(origin?: string): void {
  if (origin === undefined) memories.clear();
  else memories.delete(origin);
}
