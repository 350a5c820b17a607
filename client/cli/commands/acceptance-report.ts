import { existsSync, statSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { Command } from 'commander';
import { reportOf } from '../../../activities/acceptance.ts';
import { dataDirPaths } from '../../../activities/datadir.ts';
import { fileEvidenceStore, STATEMENT_FILE } from '../../../activities/evidence/file-evidence-store.ts';
import type { ShownPiece } from '../../../core/acceptance/reports/html-evidence.ts';
import { reportHtml } from '../../../core/acceptance/reports/html.ts';
import { reportJunit } from '../../../core/acceptance/reports/junit.ts';
import { redChecks } from '../../../core/acceptance/reports/words.ts';
import type { AcceptanceReport } from '../../../core/acceptance/report.ts';
import { fail, RackwrightError } from '../../../core/errors/failure.ts';
import { Context } from '../context.ts';
import { storedRun } from '../stored-runs.ts';
import { asAsked } from '../written.ts';

const FORMATS = ['html', 'json', 'junit', 'intoto'] as const;
type Format = (typeof FORMATS)[number];

/** What each format is called in a folder; and by which endings of a file's name it is told. */
const FILES: { readonly [F in Format]: { readonly name: string; readonly endings: readonly string[] } } = {
  html: { name: 'acceptance.html', endings: ['.html', '.htm'] },
  json: { name: 'acceptance.json', endings: ['.json'] },
  junit: { name: 'acceptance.junit.xml', endings: ['.xml'] },
  intoto: { name: STATEMENT_FILE, endings: ['.intoto.json', '.jsonl'] },
};

interface Options {
  readonly format?: string;
  readonly out?: string;
}

/** `rackwright acceptance report RUN`: what a run came to, for people, for CI, for whoever wants proof. */
export function addReportCommand(acceptance: Command): void {
  acceptance
    .command('report <run>')
    .description('its report: also when nothing runs, from the evidence')
    .option('--format <name>', `${FORMATS.join(', ')} (else by the ending of the file; else html)`)
    .option('--out <path>', 'a file, or a folder for all formats (else to stdout)')
    .action((id: string, options: Options, command: Command) => write(new Context(command), id, options));
}

async function write(context: Context, runId: string, { format: given, out }: Options): Promise<void> {
  const { io } = context;
  if (given !== undefined && !isFormat(given)) {
    throw fail('INVALID_MESSAGE', `format must be one of ${FORMATS.join(', ')}.`);
  }
  const folder = out !== undefined && isFolder(out);
  const format = given ?? (out === undefined || folder ? undefined : formatOf(out));
  const report = await reportOfRun(context, runId);
  if (out === undefined) {
    const wanted = format ?? (io.json ? 'json' : 'html');
    if (io.json && wanted !== 'json' && wanted !== 'intoto') {
      throw fail('INVALID_MESSAGE', `--json and ${wanted} want stdout both: give the file with --out.`);
    }
    process.stdout.write(await textOf(context, report, wanted));
    return;
  }
  await asAsked(out, () => mkdir(folder ? out : dirname(out), { recursive: true }));
  const wanted = folder && format === undefined ? FORMATS : [format ?? 'html'];
  const files: string[] = [];
  for (const each of wanted) {
    // All formats of a run that is not signed are those that there are.
    if (each === 'intoto' && wanted.length > 1 && report.signature?.signed !== true) continue;
    const path = folder ? join(out, FILES[each].name) : out;
    const text = await textOf(context, report, each);
    await asAsked(path, () => writeFile(path, text));
    files.push(path);
  }
  io.answer({ runId, outcome: report.outcome ?? null, files }, () => files);
  if (report.signature?.signed === false) io.note(`unsigned: ${report.signature.why}`);
}

const isFormat = (value: string): value is Format => (FORMATS as readonly string[]).includes(value);

/** A path that is a folder, or is written as one. */
function isFolder(path: string): boolean {
  if (path.endsWith('/')) return true;
  return existsSync(path) ? statSync(path).isDirectory() : extname(basename(path)) === '';
}

const formatOf = (path: string): Format =>
  (['intoto', 'html', 'json', 'junit'] as const).find((each) =>
    FILES[each].endings.some((ending) => path.endsWith(ending)),
  ) ?? 'html';

async function textOf(context: Context, report: AcceptanceReport, format: Format): Promise<string> {
  switch (format) {
    case 'html':
      return reportHtml(report, {
        madeAt: new Date().toISOString(),
        pieces: await piecesOf(context, report),
      });
    case 'junit':
      return reportJunit(report);
    case 'json':
      return `${JSON.stringify(report, null, 2)}\n`;
    case 'intoto':
      return statementFile(context, report);
  }
}

/** The report of a run that goes on or is over; of one that Temporal does not have, from the evidence. */
async function reportOfRun(context: Context, runId: string): Promise<AcceptanceReport> {
  const asked =
    context.options.address ?? process.env['TEMPORAL_ADDRESS'] ?? context.running?.temporalAddress;
  let first: RackwrightError | undefined;
  if (asked !== undefined) {
    try {
      const { AcceptanceRuns } = await import('../../sdk/acceptance.ts');
      return await context.connected(({ client, site }) => new AcceptanceRuns(client, site).report(runId));
    } catch (error) {
      if (!(error instanceof RackwrightError)) throw error;
      if (!['RUN_UNKNOWN', 'TEMPORAL_UNREACHABLE', 'SITE_UNKNOWN'].includes(error.failure.code)) throw error;
      first = error;
    }
  }
  try {
    const { site, evidence } = await storedRun(context, runId);
    return await reportOf({ name: site, evidence }, runId);
  } catch (error) {
    const unknown = error instanceof RackwrightError && error.failure.code === 'RUN_UNKNOWN';
    throw unknown && first ? first : error;
  }
}

/** The evidence of the checks that are not green, as far as it lies here. */
async function piecesOf(context: Context, report: AcceptanceReport): Promise<Map<string, ShownPiece>> {
  const evidence = fileEvidenceStore(dataDirPaths(context.options.dataDir).evidence);
  const pieces = new Map<string, ShownPiece>();
  for (const { id, sha256 } of redChecks(report).flatMap((check) => check.evidence ?? [])) {
    try {
      pieces.set(id, await evidence.read(id, sha256));
    } catch (error) {
      const code = error instanceof RackwrightError ? error.failure.code : undefined;
      if (code === 'EVIDENCE_ALTERED') pieces.set(id, 'altered');
      else if (code !== 'EVIDENCE_UNKNOWN') throw error;
    }
  }
  return pieces;
}

/** The signed statement as it lies beside the evidence. Throws REPORT_UNSIGNED. */
async function statementFile(context: Context, { runId, signature }: AcceptanceReport): Promise<string> {
  const why = signature?.signed === false ? signature.why : undefined;
  const unsigned = (message: string): Error => fail('REPORT_UNSIGNED', message);
  if (why !== undefined) throw unsigned(`Run ${runId} is not signed. ${why}`);
  if (signature === undefined) {
    throw fail('REPORT_UNSIGNED', `Run ${runId} is not over: a run is signed when it ends.`, {
      correction: 'Ask again when it has its verdict.',
    });
  }
  const { folder } = await storedRun(context, runId);
  return readFile(join(folder, STATEMENT_FILE), 'utf8').catch(() => {
    throw unsigned(`The statement about run ${runId} is no longer beside its evidence.`);
  });
}
