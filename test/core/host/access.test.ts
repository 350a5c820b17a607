import { expect, it } from 'vitest';
import { judgeAccess } from '../../../core/host/access.ts';

const as = (uid: string, user: string, exit: number, text = '') =>
  judgeAccess({
    uid: { text: uid, exit: 0 },
    user: { text: user, exit: 0 },
    sudo: { text, exit },
  });

it('root, and who becomes root without a password, can work', () => {
  expect(as('0', 'root', 127)).toEqual({ right: 'logged in to as root' });
  expect(as('1000', 'ops', 0)).toEqual({ right: 'logged in to, and root without a password' });
});

// What sudo 1.9 says on Debian 12, Ubuntu 24.04 and RHEL 9.
it.each<[string, number, RegExp]>([
  [
    'sudo: a password is required',
    1,
    /ops does not become root without a password: sudo: a password is required/,
  ],
  ['ops is not in the sudoers file.', 1, /ops is not in the sudoers file/],
  ['sudo: sorry, you must have a tty to run sudo', 1, /must have a tty/],
  ['', 1, /sudo ended with 1/],
  ['sh: 1: sudo: not found', 127, /ops is not root, and the host has no sudo/],
])('sudo that says %j keeps it from that', (text, exit, message) => {
  expect(as('1000', 'ops', exit, text)).toEqual({
    wrong: {
      message: expect.stringMatching(message),
      correction: expect.stringContaining('ops ALL=(ALL) NOPASSWD: ALL'),
    },
  });
});
