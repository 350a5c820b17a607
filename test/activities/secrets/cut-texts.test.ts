import { describe, expect, it } from 'vitest';
import { refusal as kubernetesRefusal } from '../../../activities/kubernetes/errors.ts';
import { refusal as ironicRefusal } from '../../../activities/ironic/errors.ts';
import { refusal as openstackRefusal } from '../../../activities/openstack/errors.ts';
import { messagesOf } from '../../../activities/redfish/errors.ts';
import { readCommand } from '../../../core/agent/command.ts';
import { judgeAccess } from '../../../core/host/access.ts';
import { answeredJson } from '../../../core/host/answers.ts';
import { readNode } from '../../../core/ironic/node.ts';
import { readingOf } from '../../../core/ironic/reading.ts';
import { validationProblems } from '../../../core/ironic/validation.ts';
import { saying } from '../../../core/kubernetes/shapes.ts';
import { defaultCommand, statusCommandOf } from '../../../core/openstack/status-commands.ts';
import { readLogEntry } from '../../../core/redfish/log.ts';
import { readMessage } from '../../../core/redfish/messages.ts';

const OWNER = { site: 's', node: 'n' };
const maintained = (reason: string) =>
  readNode({
    uuid: 'u',
    provision_state: 'active',
    maintenance: true,
    maintenance_reason: reason,
    extra: { rackwright: OWNER },
  });

describe('a secret is never cut in two, so that it can be masked', () => {
  const secret = 'Sup3r-Secret-Pa55word';
  const asked = { service: 'compute', method: 'GET', path: '/x' } as const;
  const services: { [name: string]: (words: string) => string } = {
    OpenStack: (words) =>
      openstackRefusal(asked, 400, JSON.stringify({ badRequest: { message: words } })).message,
    Kubernetes: (words) => kubernetesRefusal('GET /x', 400, words).message,
    Ironic: (words) => ironicRefusal(asked, 400, JSON.stringify({ error_message: words })).message,
    'a BMC in HTML': (words) => messagesOf({ body: undefined, text: words })[0]!.text ?? '',
    'a BMC': (words) => readMessage({ Message: words })!.text!,
    'the log of a BMC': (words) => readLogEntry('/1', { Message: words })!.message,
    'a deploy agent': (words) =>
      readCommand({ id: '1', command_name: 'x.y', command_status: 'FAILED', command_error: words })!.error!
        .message,
    "Ironic's validation": (words) =>
      validationProblems({ name: 'n1', hasInstance: false }, { power: { result: false, reason: words } })[0]!
        .message,
    "Ironic's maintenance": (words) => JSON.stringify(readingOf(maintained(words), OWNER)),
    'a condition in Kubernetes': (words) => saying('Failed', words),
    'a status command': (words) =>
      JSON.stringify(
        statusCommandOf('identity', defaultCommand('identity'))!.judge({
          exitCode: 99,
          stdout: '',
          stderr: words,
        }),
      ),
    sudo: (words) => JSON.stringify(judgeAccess({ sudo: { text: words, exit: 1 } })),
    'a program of a host': (words) => {
      try {
        return String(answeredJson({ lsblk: { text: words, exit: 0 } }, 'lsblk', 'lsblk'));
      } catch (error) {
        return (error as Error).message;
      }
    },
  };
  it.each(Object.keys(services))('of %s', (name) => {
    for (let before = 60; before < 1050; before++) {
      const said = services[name]!(
        `${'ab '.repeat(350).slice(0, before - 1)} ${secret} and more ${'cd '.repeat(300)}`,
      );
      expect(said).toContain('ab');
      expect(said.replace(secret, '')).not.toContain(secret.slice(0, 3));
    }
  });
});
