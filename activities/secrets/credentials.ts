import type { Credentials } from '../../contracts/inventory/bmc.ts';
import { isSecretRef } from '../../contracts/inventory/primitives.ts';
import { resolveSecret, type ResolveOptions } from './resolve.ts';

/** User name and password behind the credentials of a contract; the user name may be written plainly. */
export async function resolveCredentials(
  credentials: Credentials,
  options: ResolveOptions = {},
): Promise<{ username: string; password: string }> {
  const { username, password } = credentials;
  return {
    username: isSecretRef(username) ? await resolveSecret(username, options) : username,
    password: await resolveSecret(password, options),
  };
}
