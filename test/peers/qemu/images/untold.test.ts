import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** What is shown of a log on the console, as the deploy ramdisk does it. */
const shown = (log: string): string =>
  execFileSync('sed', ['-E', '-f', join(import.meta.dirname, 'untold.sed')], {
    input: log,
    encoding: 'utf8',
  });

it.each([
  ['GET http://10.0.2.2:8300/agent/eyJ0b2tlbg/v1/lookup failed', 'GET http://10.0.2.2:8300/… failed'],
  ["ironic at 'https://gateway:8300/agent/eyJ0b2tlbg', twice", "ironic at 'https://gateway:8300/…', twice"],
  [
    "HTTPConnectionPool(host='10.0.2.2', port=8300): Max retries exceeded with url: /agent/eyJ0b2tlbg/v1/lookup?addresses=52%3A54 (Caused by",
    "HTTPConnectionPool(host='10.0.2.2', port=8300): Max retries exceeded with url: … (Caused by",
  ],
  ['{"agent_token": "eyJ0b2tlbg", "x": 1}', '{"agent_token": "…", "x": 1}'],
  [
    'POST /v1/commands/?wait=false&agent_token=eyJ0b2tlbg HTTP/1.1',
    'POST /v1/commands/?wait=false&agent_token=… HTTP/1.1',
  ],
])('shows %j without what is secret in it', (line, expected) => {
  expect(shown(line).trim()).toBe(expected);
});

it('shows everything else as it is', () => {
  const line =
    'ironic_python_agent.errors.LookupNodeError: Error getting configuration from Ironic: 404, node unknown\n';
  expect(shown(line)).toBe(line);
});
