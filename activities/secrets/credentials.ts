import type { Credentials } from '../../contracts/inventory/bmc.ts';
import { isSecretRef } from '../../contracts/inventory/primitives.ts';

/**
 * User name and password behind the credentials of a contract; the user name may be written plainly.
 *
 * @param secret what stands behind a reference
 */
export async function credentialsOf(
  { username, password }: Credentials,
  secret: (reference: string) => Promise<string>,
): Promise<{ username: string; password: string }> {
  return {
    username: isSecretRef(username) ? await secret(username) : username,
    password: await secret(password),
  };
}
