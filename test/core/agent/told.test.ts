import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readCommand } from '../../../core/agent/command.ts';
import { toldOf } from '../../../core/agent/read.ts';

const token = `Ab${randomBytes(32).toString('base64url')}`;
const drive = `H4sIaA/+${randomBytes(300).toString('base64')}`;

describe('what an agent says', () => {
  test.each([
    [
      'its token',
      `POST /v1/commands/?agent_token=${token}&wait=false`,
      'POST /v1/commands/?agent_token=…&wait=false',
    ],
    ['a config drive', `{"configdrive":"${drive}"}`, '{"configdrive":"…"}'],
    ['an escaped config drive', drive.replaceAll('/', '\\/'), '…'],
    ['an encoded config drive', encodeURIComponent(drive), '…'],
    ['a URL of the gateway', `GET http://gw/images/${token}/ubuntu`, 'GET http://gw/images/…/ubuntu'],
  ])('is told without %s', (_, said, told) => expect(toldOf(said, 500)).toBe(told));

  test.each([
    `image checksum ${'0a'.repeat(32)} is wrong`,
    '/usr/lib/python3/site-packages/ironic_python_agent/extensions/standby.py',
    'node 1ab00000-0000-4000-8000-000000000001, /dev/disk/by-path/pci-0000:01:00.0-nvme-1',
  ])('is told as it is: %s', (said) => expect(toldOf(said, 500)).toBe(said));

  test('is masked before it is cut', () => {
    expect(toldOf(`${'x '.repeat(40)}${token}`, 100)).toBe(`${'x '.repeat(40)}…`);
    expect(toldOf(`${'x '.repeat(40)}${'y '.repeat(40)}`, 100)).toHaveLength(99);
  });

  test('of a failed command holds neither, in whichever field', () => {
    for (const field of ['type', 'message', 'details']) {
      const error = { type: 'Error', message: '', [field]: `${drive} ${token}` };
      const command = readCommand({
        id: '1',
        command_name: 'x',
        command_status: 'FAILED',
        command_error: error,
      });
      expect(command?.error).toMatchObject({ type: expect.any(String) });
      expect(JSON.stringify(command)).not.toContain(token.slice(0, 30));
      expect(JSON.stringify(command)).not.toContain(drive.slice(0, 30));
    }
  });
});
