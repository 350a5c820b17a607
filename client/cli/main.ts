#!/usr/bin/env node
import { CommanderError } from 'commander';
import { CATALOGUE } from '../../core/errors/catalogue.ts';
import { fail, RackwrightError } from '../../core/errors/failure.ts';
import { EXIT, exitOfError } from './exit.ts';
import { Io } from './io.ts';
import { createProgram } from './program.ts';

/** A reader of our output that went away (`| head`) is no error. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(process.exitCode ?? EXIT.done);
  throw error;
});

const USAGE = {
  correction: 'Correct the command; --help after it, or `rackwright --help`, tells what it takes.',
};

try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

function report(error: unknown): number {
  const io = new Io(process.argv.includes('--json'));
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT.done;
    const message = error.message.replace(/^error: /, '');
    if (error.code !== 'commander.help') io.error(fail('INVALID_MESSAGE', message, USAGE).failure);
    return EXIT.usage;
  }
  if (error instanceof RackwrightError) {
    const { failure } = error;
    // Nobody writes JSON here: its correction is that of the command line, unless it has one of its own.
    const isUsual = failure.correction === CATALOGUE.INVALID_MESSAGE.correction;
    io.error(failure.code === 'INVALID_MESSAGE' && isUsual ? { ...failure, ...USAGE } : failure);
    return exitOfError(failure.code);
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  io.error(fail('UNEXPECTED', message).failure);
  return EXIT.error;
}
