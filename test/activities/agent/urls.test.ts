import { expect, test } from 'vitest';
import { gatewayUrlOf } from '../../../activities/agent/urls.ts';
import { Inventory } from '../../../contracts/inventory/inventory.ts';

const site = (media: object): Inventory =>
  Inventory.parse({ site: 's1', media: { gatewayUrl: 'http://10.0.0.1:8300/', iso: 'a.iso', ...media } });

test.each([
  [{}, 'agent', 'http://10.0.0.1:8300'],
  [{}, 'bmc', 'http://10.0.0.1:8300'],
  [{}, 'guest', 'http://10.0.0.1:8300'],
  [{ bmcGatewayUrl: 'http://172.16.0.1:8300/' }, 'bmc', 'http://172.16.0.1:8300'],
  [{ bmcGatewayUrl: 'http://172.16.0.1:8300/' }, 'agent', 'http://10.0.0.1:8300'],
  [{ bmcGatewayUrl: 'http://172.16.0.1:8300/' }, 'guest', 'http://10.0.0.1:8300'],
  [{ guestGatewayUrl: 'https://boot.example' }, 'guest', 'https://boot.example'],
  [{ guestGatewayUrl: 'https://boot.example' }, 'bmc', 'http://10.0.0.1:8300'],
] as const)('of %j, %s reaches the gateway at %s', (media, by, url) => {
  expect(gatewayUrlOf(site(media), by)).toBe(url);
});
