import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Option, type Command } from 'commander';
import { packageRoot } from '../../up/package-root.ts';
import { processFlags } from '../../up/process-flags.ts';
import { Context } from '../context.ts';

/** `rackwright worker` and `rackwright gateway`: one process each, for systems that are not embedded. */
export function addProcessCommands(program: Command): void {
  program
    .command('worker')
    .description("the process that runs workflows and the site's activities")
    .action((_options, command: Command) => run(new Context(command), 'worker', []));
  program
    .command('gateway')
    .description('the process that BMCs, deploy agents and guests call')
    .addOption(new Option('--listen <host:port>', 'where to listen').default('127.0.0.1:8300'))
    .option('--tls-cert <file>', 'certificate; with it, https')
    .option('--tls-key <file>', 'its key')
    .action((options: Record<string, string>, command: Command) =>
      run(new Context(command), 'gateway', [
        '--listen',
        options['listen']!,
        ...(options['tlsCert'] === undefined ? [] : ['--tls-cert', options['tlsCert']]),
        ...(options['tlsKey'] === undefined ? [] : ['--tls-key', options['tlsKey']]),
      ]),
    );
}

async function run(context: Context, name: 'worker' | 'gateway', own: string[]): Promise<void> {
  const { address, namespace } = await context.settings();
  const inventory = context.inventoryPath();
  const script = join(packageRoot(), 'dist', 'workers', `${name}.js`);
  const { dataDir, allowExec } = context.options;
  const flags = [...processFlags({ address, namespace, dataDir, inventory, allowExec }), ...own];
  const child = spawn(process.execPath, ['--enable-source-maps', script, ...flags], { stdio: 'inherit' });
  // Ctrl-C reaches the child by itself; a signal sent to us alone is passed on.
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on('SIGTERM', pass).on('SIGINT', pass);
  process.exitCode = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 3));
  });
}
