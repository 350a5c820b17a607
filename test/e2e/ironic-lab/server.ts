import { setTimeout as sleep } from 'node:timers/promises';
import type { Hardware } from '../../../lab/hardware.ts';

/** What the lab knows of one of its servers: what really happened there. */
export interface ServerView {
  readonly hardware: Hardware;
  readonly power: string;
  readonly running: { readonly from: string } | null;
  readonly override: { readonly enabled: string; readonly target: string };
  readonly media: { readonly [slot: string]: { readonly inserted: boolean } };
  readonly sessions: number;
  readonly disks: readonly {
    readonly serial: string;
    readonly image: { readonly digest: string } | null;
    readonly canaries: readonly string[];
  }[];
}

export interface LabEvent {
  readonly seq: number;
  readonly event: string;
  readonly method?: string;
  readonly path?: string;
  readonly status?: number | null;
  readonly [detail: string]: unknown;
}

export interface ServerOf {
  view(): Promise<ServerView>;
  /** Its log, without what is older. */
  log(after?: number): Promise<LabEvent[]>;
  /** Waits until its log has such an event after that one. */
  until(what: string, is: (event: LabEvent) => boolean, after: number): Promise<void>;
}

const BOUND_MS = 60_000;

export function serverOf(controlUrl: string, name: string): ServerOf {
  const ask = async (path: string): Promise<unknown> =>
    (await fetch(`${controlUrl}/servers/${name}${path}`)).json();
  const log = async (after = 0): Promise<LabEvent[]> =>
    ((await ask(`/log?after=${after}`)) as { entries: LabEvent[] }).entries;
  return {
    view: () => ask('') as Promise<ServerView>,
    log,
    async until(what, is, after) {
      for (const ends = Date.now() + BOUND_MS; Date.now() < ends; await sleep(100))
        if ((await log(after)).some(is)) return;
      throw new Error(`waited in vain: ${what}`);
    },
  };
}
