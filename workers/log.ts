import { pino, type Logger } from 'pino';
import { redact, type SecretSet } from '../activities/secrets/redact.ts';

/** JSON logs on stderr, in which every secret that this process has resolved is masked. */
export function createLogger(name: string, level: string, secrets: SecretSet): Logger {
  return pino(
    {
      name,
      level,
      hooks: { streamWrite: (line) => secrets.redactText(line) },
      formatters: { log: (fields) => redact(fields, secrets) },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}
