import { existsSync, statSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { reportOf } from '../../../activities/acceptance.ts';
import { dataDirPaths } from '../../../activities/datadir.ts';
import { exportRun } from '../../../activities/evidence/export.ts';
import { fileEvidenceStore } from '../../../activities/evidence/file-evidence-store.ts';
import { verificationKey } from '../../../activities/evidence/signing.ts';
import { verifyRun, type RunFolder, type Verification } from '../../../activities/evidence/verify.ts';
import { fail } from '../../../core/errors/failure.ts';
import { Context } from '../context.ts';
import { EXIT } from '../exit.ts';
import { storedRun } from '../stored-runs.ts';
import { asAsked } from '../written.ts';

/** `rackwright evidence …`: read from the data directory, also when nothing runs. */
export function addEvidenceCommands(program: Command): void {
  const evidence = program.command('evidence').description('what was asked, of whom, and what came back');
  evidence
    .command('show <id>')
    .description('a piece of evidence, by the id that a report names; its hash is verified')
    .action((id: string, _options, command: Command) => show(new Context(command), id));
  evidence
    .command('verify <run>')
    .description("a run's evidence, or a folder of it, against its signed statement; with nothing running")
    .requiredOption('--key <file>', 'the public key as PEM, from somewhere else than the evidence')
    .action((run: string, { key }: { key: string }, command: Command) =>
      verify(new Context(command), run, key),
    );
  evidence
    .command('export <run>')
    .description("a run's evidence with its signed statement, to be taken elsewhere")
    .requiredOption('--out <folder>', 'where to, a folder that is empty or not there')
    .action((run: string, { out }: { out: string }, command: Command) =>
      takeOut(new Context(command), run, out),
    );
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

async function verify(context: Context, run: string, keyFile: string): Promise<void> {
  const { io } = context;
  const pem = await readFile(keyFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw fail('INVALID_MESSAGE', `key: ${keyFile} cannot be read (${error.code ?? 'unknown'}).`);
  });
  const key = verificationKey(pem, keyFile);
  const place = await placeOf(context, run);
  const verification = await verifyRun(place, key);
  const { verified, problems, report } = verification;
  io.answer(
    {
      verified,
      problems,
      key: verification.keyId,
      ...verification.run,
      ...(verified ? { outcome: report?.outcome ?? null, files: verification.files } : {}),
    },
    () => (verified ? proven(verification) : []),
  );
  for (const { kind, message } of problems) io.note(`${io.paint('red', kind)}: ${message}`);
  if (!verified) io.note(`${run} is not verified.`);
  process.exitCode = verified ? EXIT.done : EXIT.fail;
}

/** A folder that is there, or the id of a run in the data directory. */
async function placeOf(context: Context, run: string): Promise<RunFolder> {
  if (statSync(run, { throwIfNoEntry: false })?.isDirectory()) return { folder: resolve(run) };
  if (run.includes('/') || existsSync(run)) throw fail('INVALID_MESSAGE', `run: ${run} is no folder.`);
  const { folder, site, runId } = await storedRun(context, run);
  return { folder, of: { site, runId } };
}

function proven({ run, report, files, keyId }: Verification): string[] {
  const when = report?.endedAt === undefined ? '' : `, ended ${report.endedAt}`;
  return [
    `verified: run ${run?.runId} of ${run?.site}: ${report?.outcome ?? 'no verdict'}${when}`,
    `  ${files} files, each as it was signed, with key ${keyId}`,
  ];
}

async function takeOut(context: Context, run: string, out: string): Promise<void> {
  const { folder, site, runId, evidence } = await storedRun(context, run);
  const report = await reportOf({ name: site, evidence }, runId);
  await asAsked(out, () => mkdir(resolve(out), { recursive: true }));
  const files = await exportRun(folder, report, resolve(out));
  const signed = report.signature?.signed === true;
  context.io.answer({ site, runId, folder: resolve(out), files, signed }, () => [
    `${files} file${files === 1 ? '' : 's'} of run ${runId} of ${site} in ${out}`,
  ]);
  if (!signed) context.io.note('unsigned: nobody can verify it.');
}
