import type { Inventory } from '../../contracts/inventory/inventory.ts';
import { hostOf, isLoopbackHost } from '../../contracts/inventory/raw.ts';

/**
 * What is to be said where the gateway listens for this host only, and the contract sends others to it: behind a
 * proxy that is right, and else nothing ever reaches it. Undefined where there is nothing to say.
 */
export function gatewayNote({ media }: Pick<Inventory, 'media'>, listensOn: string): string | undefined {
  const url = media?.bmcGatewayUrl ?? media?.gatewayUrl;
  const host = hostOf(url);
  if (host === undefined || isLoopbackHost(host) || !isLoopbackHost(listensOn)) return undefined;
  return `the gateway listens on ${listensOn} only, and the inventory says that it is reached at ${url}: without a proxy in between, start with --gateway-host`;
}
