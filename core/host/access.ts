import type { Answers, Questions } from './answers.ts';
import type { HostFinding } from './finding.ts';
import { firstWords } from '../whole-words.ts';

/** Who one is, and whether root is to be had without a password; one that was typed a moment ago does not count. */
export const ACCESS_QUESTIONS: Questions = {
  uid: 'id -u',
  user: 'id -un',
  sudo: 'sudo -k -n true 2>&1',
};

/** Whether automation can work on the host as root: how, in words, or what keeps it from it. */
export function judgeAccess(answers: Answers): { readonly right: string } | { readonly wrong: HostFinding } {
  const { uid, user, sudo } = answers;
  if (uid?.text === '0') return { right: 'logged in to as root' };
  const name = user?.text || 'the user';
  if (sudo?.exit === 0) return { right: 'logged in to, and root without a password' };
  const line = `${name} ALL=(ALL) NOPASSWD: ALL`;
  const said = firstWords(sudo?.text.split('\n').at(-1) ?? '', 160);
  if (sudo?.exit === 127) {
    return {
      wrong: {
        message: `${name} is not root, and the host has no sudo.`,
        correction: `Install sudo and write \`${line}\` to /etc/sudoers.d/rackwright, or let the contract name root as \`ssh.user\`.`,
      },
    };
  }
  return {
    wrong: {
      message: `${name} does not become root without a password: ${said || `sudo ended with ${sudo?.exit}`}.`,
      correction: `Write \`${line}\` to /etc/sudoers.d/rackwright (\`visudo -f\`).`,
    },
  };
}
