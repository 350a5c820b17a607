import { expect, test } from 'vitest';
import { refusal } from '../../../activities/redfish/errors.ts';
import { opened } from './fixtures.ts';
import { redfishError, SYSTEM } from './scripted-bmc.ts';

test.each(['a Redfish error', 'a page'])(
  'a session token that a BMC quotes in %s is not told',
  async (as) => {
    const { server, bmc } = await opened();
    server.on('PATCH', SYSTEM, (call, response) => {
      const quoted = `bad request, x-auth-token: ${String(call.headers['x-auth-token'])}`;
      if (as === 'a Redfish error') return { status: 400, body: redfishError('GeneralError', quoted) };
      response.writeHead(400, { 'content-type': 'text/html' }).end(`<p>${quoted}</p>`);
    });
    const { failure } = refusal(await bmc.send('PATCH', SYSTEM, { body: {} }), 'Trying');
    const [token] = server.sessions;
    expect(failure.message).toContain('x-auth-token: ***');
    expect(JSON.stringify(failure)).not.toContain(token);
  },
);
