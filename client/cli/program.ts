import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { packageRoot } from '../up/package-root.ts';
// Everything heavy (zod, the Temporal client) is imported by the commands that need it, when they run.
import { addAcceptanceCommands } from './commands/acceptance.ts';
import { addEvidenceCommands } from './commands/evidence.ts';
import { addImageCommands } from './commands/image.ts';
import { addMediaCommands } from './commands/media.ts';
import { addNodeCommands } from './commands/node.ts';
import { addOperationCommands } from './commands/op.ts';
import { addPlanCommand } from './commands/plan.ts';
import { addProcessCommands } from './commands/processes.ts';
import { addScheduleCommands } from './commands/schedule.ts';
import { addStatusCommand } from './commands/status.ts';
import { addUpCommand } from './commands/up.ts';
import { addValidateCommands } from './commands/validate.ts';

const { version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
  version: string;
};

/** The whole command line. Errors are thrown, never exited with. */
export function createProgram(): Command {
  const program = new Command('rackwright')
    .description('Carries servers through their whole life as durable Temporal workflows.')
    .version(version)
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: () => undefined })
    .showHelpAfterError(false)
    .option('--json', 'exactly one JSON document on stdout')
    .option(
      '--address <host:port>',
      'of Temporal (else TEMPORAL_ADDRESS, else what runs in the data directory)',
    )
    .option('--namespace <name>', 'of Temporal (else TEMPORAL_NAMESPACE, else default)')
    .option(
      '--data-dir <folder>',
      'where state is kept (else RACKWRIGHT_DATA_DIR)',
      process.env['RACKWRIGHT_DATA_DIR'] ?? '.rackwright',
    )
    .option('--inventory <file>', "the site's inventory (else RACKWRIGHT_INVENTORY, else that of what runs)")
    .option('--site <name>', 'the site, where there is no inventory (else RACKWRIGHT_SITE)')
    .option('--allow-exec', 'accept exec: references in the inventory');
  addUpCommand(program);
  addProcessCommands(program);
  addValidateCommands(program);
  addPlanCommand(program);
  addStatusCommand(program);
  addNodeCommands(program);
  addOperationCommands(program);
  addAcceptanceCommands(program);
  addScheduleCommands(program);
  addEvidenceCommands(program);
  addImageCommands(program);
  addMediaCommands(program);
  return program;
}
