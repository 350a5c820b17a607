import { pino, type Logger } from 'pino';
import type { SecretSet } from '../activities/secrets/redact.ts';

/** JSON logs on stderr, in which every secret that this process has resolved is masked. */
export function createLogger(name: string, level: string, secrets: SecretSet): Logger {
  return pino(
    {
      name,
      level,
      hooks: { streamWrite: (line) => secrets.redactText(line) },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}
