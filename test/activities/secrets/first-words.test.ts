import { describe, expect, it } from 'vitest';
import { refusal as kubernetesRefusal } from '../../../activities/kubernetes/errors.ts';
import { refusal as ironicRefusal } from '../../../activities/ironic/errors.ts';
import { refusal as openstackRefusal } from '../../../activities/openstack/errors.ts';
import { messagesOf } from '../../../activities/redfish/errors.ts';
import { firstWords } from '../../../activities/secrets/first-words.ts';

it.each([
  ['', 5, ''],
  ['abcde', 5, 'abcde'],
  ['ab cdef', 6, 'ab …'],
  ['ab cd ef', 7, 'ab cd …'],
  ['abcdef', 5, '…'],
])('%j in %d characters is %j', (text, most, wanted) => {
  expect(firstWords(text, most)).toBe(wanted);
});

describe('a secret is never cut in two, so that it can be masked', () => {
  const secret = 'Sup3r-Secret-Pa55word';
  const asked = { service: 'compute', method: 'GET', path: '/x' } as const;
  const services: { [name: string]: (words: string) => string } = {
    openstack: (words) =>
      openstackRefusal(asked, 400, JSON.stringify({ badRequest: { message: words } })).message,
    kubernetes: (words) => kubernetesRefusal('GET /x', 400, words).message,
    ironic: (words) => ironicRefusal(asked, 400, JSON.stringify({ error_message: words })).message,
    redfish: (words) => messagesOf({ body: undefined, text: words })[0]!.text ?? '',
  };
  it.each(Object.keys(services))('of %s', (name) => {
    for (let before = 100; before < 700; before++) {
      const said = services[name]!(
        `${'ab '.repeat(300).slice(0, before - 1)} ${secret} and more ${'cd '.repeat(300)}`,
      );
      expect(said.replace(secret, '')).not.toContain(secret.slice(0, 3));
    }
  });
});
