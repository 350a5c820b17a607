import type { Sushy } from '../../peers/sushy.ts';

/** What is asked of the emulator here, as any client would. */
export interface SystemDocument {
  readonly PowerState: string;
  readonly Boot: { readonly BootSourceOverrideTarget?: string };
}

export interface MediaDocument {
  readonly Inserted: boolean;
  readonly Image: string;
}

/** Plain Redfish with Basic authentication. */
export interface Redfish {
  get<T>(path: string): Promise<T>;
  reset(system: string, type: 'ForceOff' | 'ForceRestart'): Promise<void>;
}

export function redfish({ url, username, password }: Sushy): Redfish {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const call = async (method: string, path: string, body?: object): Promise<Response> => {
    const answer = await fetch(new URL(path, url), {
      method,
      signal: AbortSignal.timeout(60_000),
      headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (answer.ok) return answer;
    throw new Error(`${method} ${path}: ${answer.status} ${(await answer.text()).slice(0, 500)}`);
  };
  return {
    get: async <T>(path: string) => (await (await call('GET', path)).json()) as T,
    async reset(system, type) {
      await call('POST', `${system}/Actions/ComputerSystem.Reset`, { ResetType: type });
    },
  };
}
