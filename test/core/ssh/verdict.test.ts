import { expect, it } from 'vitest';
import { overdue, verdictOf } from '../../../core/ssh/verdict.ts';

// Lines as OpenSSH 9.2 writes them.
const CONNECTED = 'debug1: Connecting to 10.0.0.5 [10.0.0.5] port 22.\ndebug1: Connection established.\n';
const SPOKEN = `${CONNECTED}debug1: Remote protocol version 2.0, remote software version OpenSSH_9.2p1\n`;
const LOGGED_IN = `${SPOKEN}Authenticated to 10.0.0.5 ([10.0.0.5]:22) using "publickey".\ndebug1: Sending command: 'sh' '-c' 'x'\n`;
const EXIT = 'debug1: client_input_channel_req: channel 0 rtype exit-status reply 0\n';
const VERIFIED = 'Host key verification failed.\n';

it.each([
  ['the exit code of the command', `${LOGGED_IN}${EXIT}debug1: Exit status 0\n`, { exitCode: 0 }],
  ['255 too, when it is its own', `${LOGGED_IN}${EXIT}debug1: Exit status 255\n`, { exitCode: 255 }],
  [
    'the last one, whatever words of a command look like',
    `${LOGGED_IN}debug1: Exit status 3\n${EXIT}debug1: Exit status 4\n`,
    { exitCode: 4 },
  ],
  [
    'a signal',
    `${LOGGED_IN}debug1: client_input_channel_req: channel 0 rtype exit-signal reply 0\ndebug1: Exit status -1\n`,
    { code: 'SSH_COMMAND_KILLED' },
  ],
  ['no exit at all', `${LOGGED_IN}debug1: Exit status -1\n`, { code: 'SSH_CONNECTION_LOST' }],
  [
    'a host that went away',
    `${LOGGED_IN}Timeout, server 10.0.0.5 not responding.\n`,
    { code: 'SSH_CONNECTION_LOST' },
  ],
  [
    'a command whose words are those of a failure',
    `${LOGGED_IN}${VERIFIED}`,
    { code: 'SSH_CONNECTION_LOST' },
  ],
  ['a host key that nobody knows', `${SPOKEN}${VERIFIED}`, { code: 'SSH_HOST_KEY_UNKNOWN' }],
  [
    'another host key',
    `${SPOKEN}Offending ED25519 key in kh:1\nHost key for al has changed and you have requested strict checking.\n${VERIFIED}`,
    { code: 'SSH_HOST_KEY_MISMATCH' },
  ],
  [
    'a refused key',
    `${SPOKEN}debug1: No more authentication methods to try.\nroot@10.0.0.5: Permission denied (publickey).\n`,
    { code: 'SSH_AUTH_FAILED' },
  ],
  [
    'many refused ones',
    `${SPOKEN}Received disconnect from 10.0.0.5 port 22:2: Too many authentication failures\n`,
    { code: 'SSH_AUTH_FAILED' },
  ],
  [
    'a key that is none',
    `${SPOKEN}Load key "k": error in libcrypto\nroot@10.0.0.5: Permission denied (publickey).\n`,
    { code: 'SSH_KEY_UNUSABLE' },
  ],
  [
    'no name',
    'ssh: Could not resolve hostname x.invalid: Name or service not known\n',
    { code: 'SSH_UNREACHABLE', why: 'its name is not known' },
  ],
  [
    'no answer',
    'ssh: connect to host 10.0.0.5 port 22: Connection timed out\n',
    { code: 'SSH_UNREACHABLE', why: 'nothing answers' },
  ],
  [
    'no route',
    'ssh: connect to host 10.0.0.5 port 22: No route to host\n',
    { code: 'SSH_UNREACHABLE', why: 'there is no route to it' },
  ],
  ['no listener', 'ssh: connect to host 10.0.0.5 port 22: Connection refused\n', { code: 'SSH_REFUSED' }],
  [
    'silence after the connection',
    `${CONNECTED}Connection timed out during banner exchange\n`,
    { code: 'SSH_HANDSHAKE_FAILED' },
  ],
  [
    'nothing in common',
    `${SPOKEN}Unable to negotiate with 10.0.0.5 port 22: no matching host key type found. Their offer: ssh-dss\n`,
    { code: 'SSH_HANDSHAKE_FAILED', why: 'it offers no algorithm that is accepted here' },
  ],
  ['a log that says nothing', '', { code: 'SSH_UNREACHABLE' }],
])('reads %s', (_what, log, verdict) => {
  expect(verdictOf(log, false)).toMatchObject(verdict);
});

it('calls another key than the pinned one a mismatch, even where the client knows none', () => {
  expect(verdictOf(`${SPOKEN}${VERIFIED}`, true)).toMatchObject({ code: 'SSH_HOST_KEY_MISMATCH' });
});

it.each([
  ['in the command', LOGGED_IN, 'SSH_COMMAND_TIMEOUT'],
  ['before the login', SPOKEN, 'SSH_HANDSHAKE_FAILED'],
  ['before the connection', 'debug1: Connecting to 10.0.0.5 [10.0.0.5] port 22.\n', 'SSH_UNREACHABLE'],
])('knows what it means that the time was over %s', (_when, log, code) => {
  expect(overdue(log)).toMatchObject({ code });
});
