import type { Server } from '../server.ts';
import { problem, type Answer } from './messages.ts';

const ACCOUNTS = /\/AccountService\/Accounts(\/|$)/;
const HOST_INTERFACES = /\/HostInterfaces(\/|$)/;
const BOOT = /\/Systems\/1\/(SecureBoot|BootOptions(\/.*)?)$/;

/** Why the BMC does not show a resource that it has; undefined where it does. */
export function readRefusal({ faults }: Server, path: string): Answer | undefined {
  const kept =
    (ACCOUNTS.test(path) && faults.on('accountsForbidden')) ||
    (HOST_INTERFACES.test(path) && faults.on('accountsForbidden')) ||
    (BOOT.test(path) && faults.on('bootForbidden'));
  if (kept) return problem(403, 'InsufficientPrivilege');
  if (ACCOUNTS.test(path) && faults.take('accountsFail')) return problem(500, 'InternalError');
  if (BOOT.test(path) && faults.take('bootOptionsFail')) return problem(500, 'InternalError');
  return undefined;
}
