import { expect, test } from 'vitest';
import { gatewayNote } from '../../../client/up/gateway-note.ts';

const media = (gatewayUrl: string, bmcGatewayUrl?: string): object => ({
  media: { gatewayUrl, iso: 'a.iso', ...(bmcGatewayUrl === undefined ? {} : { bmcGatewayUrl }) },
});

test.each([
  [media('http://10.20.0.5:8300'), '127.0.0.1', 'http://10.20.0.5:8300'],
  [media('http://gateway.example:8300'), '127.0.0.1', 'http://gateway.example:8300'],
  [media('http://10.20.0.5:8300', 'http://127.0.0.1:8300'), '127.0.0.1', undefined],
  [media('http://10.20.0.5:8300'), '10.20.0.5', undefined],
  [media('http://10.20.0.5:8300'), '0.0.0.0', undefined],
  [media('http://127.0.0.1:8300'), '127.0.0.1', undefined],
  [{}, '127.0.0.1', undefined],
])('of %j, listening on %s: %s', (inventory, listensOn, named) => {
  const note = gatewayNote(inventory, listensOn);
  if (named === undefined) expect(note).toBeUndefined();
  else expect(note).toContain(named);
});
