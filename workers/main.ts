import { RackwrightError } from '../core/errors/failure.ts';
import { CATALOGUE } from '../core/errors/catalogue.ts';

/** Runs the body of a process; an error before it is ready ends it with a message and an exit code. */
export async function main(name: string, body: () => Promise<void>): Promise<void> {
  try {
    await body();
  } catch (error) {
    if (error instanceof RackwrightError) {
      const { code, faultDomain, message, correction } = error.failure;
      process.stderr.write(`rackwright ${name}: ${code} (${faultDomain}): ${message}\n  ${correction}\n`);
      process.exit(CATALOGUE[code].httpStatus === 422 ? 2 : 3);
    }
    process.stderr.write(`rackwright ${name}: ${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(3);
  }
}

/** Tells the parent, if one waits for it, that this process does its work. */
export function tellReady(message: Readonly<Record<string, string>> = {}): void {
  process.send?.({ ready: true, ...message });
}
