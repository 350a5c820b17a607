import type { Command } from 'commander';
import { dataDirPaths } from '../../../activities/datadir.ts';
import { fileEvidenceStore } from '../../../activities/evidence/file-evidence-store.ts';
import { Context } from '../context.ts';

/** `rackwright evidence …`: read from the data directory, also when nothing runs. */
export function addEvidenceCommands(program: Command): void {
  program
    .command('evidence')
    .description('what was asked, of whom, and what came back')
    .command('show <id>')
    .description('a piece of evidence, by the id that a report names; its hash is verified')
    .action((id: string, _options, command: Command) => show(new Context(command), id));
}

async function show(context: Context, id: string): Promise<void> {
  const store = fileEvidenceStore(dataDirPaths(context.options.dataDir).evidence);
  const piece = await store.read(id);
  context.io.answer(piece, () => [
    `${piece.name} of ${piece.node}, step ${piece.step}, at ${piece.at}`,
    `asked of ${piece.of}, from ${piece.from}: ${JSON.stringify(piece.asked)}`,
    `sha256 ${piece.sha256}${piece.truncatedFrom === undefined ? '' : ` (cut; it was ${piece.truncatedFrom} bytes)`}`,
    JSON.stringify(piece.answer, null, 2),
  ]);
}
