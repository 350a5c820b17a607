/** What the lab's log says of one server. */
export interface LabEvent {
  readonly seq: number;
  readonly event: string;
  readonly [detail: string]: unknown;
}

interface ServerDetails {
  readonly power: string;
  readonly running: { readonly from: string } | null;
  readonly override: { readonly enabled: string };
  readonly media: { readonly [slot: string]: { readonly inserted: boolean; readonly image: string | null } };
  readonly sessions: number;
}

/** The truth about the hardware, from where the product cannot touch it: the lab's control API. */
export class LabView {
  readonly #url: string;
  readonly #read = new Map<string, number>();

  constructor(controlUrl: string) {
    this.#url = controlUrl;
  }

  /** What has happened to a server since this was asked last. */
  async news(server: string): Promise<LabEvent[]> {
    const after = this.#read.get(server) ?? 0;
    const { entries } = await this.#get<{ entries: LabEvent[] }>(`/servers/${server}/log?after=${after}`);
    this.#read.set(server, entries.at(-1)?.seq ?? after);
    return entries;
  }

  /** How many things have happened to these servers, ever. */
  async pulse(servers: readonly string[]): Promise<number> {
    let count = 0;
    for (const server of servers) {
      const after = this.#read.get(server) ?? 0;
      const { entries } = await this.#get<{ entries: LabEvent[] }>(`/servers/${server}/log?after=${after}`);
      count += entries.length;
    }
    return count;
  }

  /** What is left on the BMC of a server that should not be, in words. */
  async leftOn(server: string): Promise<{ left: string[]; sessions: number; runs: string | null }> {
    const { override, media, sessions, running } = await this.#get<ServerDetails>(`/servers/${server}`);
    const inserted = Object.entries(media).filter(([, { inserted, image }]) => inserted || image !== null);
    return {
      left: [
        ...inserted.map(([slot]) => `media in ${slot}`),
        ...(override.enabled === 'Disabled' ? [] : [`an override (${override.enabled})`]),
      ],
      sessions,
      runs: running?.from ?? null,
    };
  }

  /** Gives a server other firmware, as if somebody had brought it there. */
  async setFirmware(server: string, versions: { readonly [component: string]: string }): Promise<void> {
    const answer = await fetch(`${this.#url}/servers/${server}/firmware`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(versions),
    });
    if (!answer.ok) throw new Error(`the lab answers ${answer.status}: ${await answer.text()}`);
  }

  async #get<T>(path: string): Promise<T> {
    const answer = await fetch(`${this.#url}${path}`);
    if (!answer.ok) throw new Error(`the lab answers ${answer.status} to ${path}`);
    return (await answer.json()) as T;
  }
}

/** How often something happened that must not happen twice in one operation. */
export function effectsOf(news: readonly LabEvent[]): { writes: number; erasures: Record<string, number> } {
  const erasures: Record<string, number> = {};
  for (const { event, serial } of news) {
    if (event === 'erase-started') erasures[String(serial)] = (erasures[String(serial)] ?? 0) + 1;
  }
  return { writes: count(news, 'image-write-started'), erasures };
}

export const count = (news: readonly LabEvent[], event: string): number =>
  news.filter((each) => each.event === event).length;
