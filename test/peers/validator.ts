import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { pythonVenv } from './peer.ts';

/** DMTF's Redfish Service Validator: it reads a whole service, and holds every resource against its schema. */

const VERSION = '3.1.8';
const PATIENCE_MS = 600_000;

/** What it says of one service. */
export interface Verdict {
  /** How many checks ended with each result. A check that is skipped is of a property that is not there. */
  readonly counts: Readonly<Record<Result, number>>;
  readonly resources: readonly Validated[];
}

/** A resource that it has validated. */
export interface Validated {
  readonly uri: string;
  /** Name of its schema: `ComputerSystem`. */
  readonly type: string;
  readonly checks: readonly Check[];
}

export interface Check {
  readonly property: string;
  readonly result: Result;
  /** Why it is not PASS: `Property Value Error: …`. */
  readonly message: string;
}

export type Result = 'PASS' | 'WARN' | 'FAIL' | 'SKIP';

export interface ValidatorOptions {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** Folder of CSDL files. It downloads none. */
  readonly schemas: string;
}

/**
 * The folder of DMTF's schemas in CSDL, which are not ours to keep: beside other captures of the world, where
 * `RACKWRIGHT_CAPTURES` says. Undefined where that is not set.
 */
export function redfishSchemas(): string | undefined {
  const captures = process.env['RACKWRIGHT_CAPTURES'];
  if (captures === undefined || captures === '') return undefined;
  const schemas = resolve(captures, 'redfish-csdl');
  if (!existsSync(join(schemas, 'ServiceRoot_v1.xml'))) throw new Error(`there are no schemas in ${schemas}`);
  return schemas;
}

/** Validates the whole of a Redfish service, installing the validator first where it is not yet. */
export async function validate({ url, username, password, schemas }: ValidatorOptions): Promise<Verdict> {
  const venv = await pythonVenv('validator', `redfish-service-validator==${VERSION}`);
  const folder = await mkdtemp(join(tmpdir(), 'rackwright-validator-'));
  try {
    // A password among the arguments of a process is there for all to read.
    const config = ['[Authentication]', `user = ${username}`, `password = ${password.replaceAll('%', '%%')}`];
    await writeFile(join(folder, 'config.ini'), `${config.join('\n')}\n`, { mode: 0o600 });
    const args = ['--rhost', url, '--authtype', 'Session', '--schema_directory', schemas, '--skipschema'];
    const { code, output } = await run(join(venv, 'bin', 'rf_service_validator'), args, folder);
    const html = await report(join(folder, 'logs'));
    if (html === undefined) throw new Error(`the validator has written no report:\n${output.slice(-2_000)}`);
    const verdict = readReport(html);
    agree(verdict, code, output);
    return verdict;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const run = (program: string, args: string[], cwd: string): Promise<{ code: number; output: string }> =>
  new Promise((done, failed) => {
    execFile(program, args, { cwd, timeout: PATIENCE_MS, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      // Without a code it could not be started, or it was ended.
      if (typeof code === 'number') done({ code, output: `${stdout}${stderr}` });
      else failed(error);
    });
  });

/** Its report in HTML: the one that names the type of every resource. */
async function report(folder: string): Promise<string | undefined> {
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  const name = files.find((file) => file.endsWith('.html'));
  return name === undefined ? undefined : readFile(join(folder, name), 'utf8');
}

const CARD = '<div class="resource-card">';
const HEAD = /<div class="resource-uri">([^<]*)<\/div>\s*<div class="resource-type">([^<,]*)/;
const ROW =
  /<tr><td>([^<]*)<\/td><td><div>[^<]*<\/div>(?:<div class="msg-\w+">([^<]*)<\/div>)?<\/td><td (?:class="[\w-]+")?>(\w+)<\/td><\/tr>/g;

function readReport(html: string): Verdict {
  const resources = html
    .split(CARD)
    .slice(1)
    .map((card): Validated => {
      const [, uri = '', type = ''] = HEAD.exec(card) ?? [];
      const checks = [...card.matchAll(ROW)].map(([, property = '', message = '', result]) => ({
        property: text(property),
        result: result as Result,
        message: text(message),
      }));
      return { uri: text(uri), type, checks };
    });
  const count = (wanted: Result): number =>
    resources.flatMap(({ checks }) => checks).filter(({ result }) => result === wanted).length;
  const counts = { PASS: count('PASS'), WARN: count('WARN'), FAIL: count('FAIL'), SKIP: count('SKIP') };
  return { counts, resources };
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#x27': "'", amp: '&' };
const text = (html: string): string =>
  html.replace(/&([\w#]+);/g, (whole, name: string) => ENTITIES[name] ?? whole);

const SUMMARY = /\|\s+(\d+)\s+\|\s+(\d+)\s+\|\s+(\d+)\s+\|\s+(\d+)\s+\|/;

/** Throws where what was read of the report is not what the validator itself counts and ends with. */
function agree({ counts }: Verdict, code: number, output: string): void {
  const own = SUMMARY.exec(stripVTControlCharacters(output))?.slice(1).map(Number);
  const { PASS, WARN, FAIL, SKIP } = counts;
  if (String(own) !== String([PASS, WARN, FAIL, SKIP]) || code !== (FAIL === 0 ? 0 : 1))
    throw new Error(
      `the validator counts ${own} and ends with ${code}; its report has ${JSON.stringify(counts)}`,
    );
}
