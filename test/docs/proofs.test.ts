import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { proofsPage } from '../../docs/pages/proofs.ts';
import { shownFailing } from '../support/shown.ts';

const folderWith = (...files: string[]): string => {
  const folder = mkdtempSync(join(tmpdir(), 'proofs-'));
  for (const [i, text] of files.entries()) writeFileSync(join(folder, `${i}.ts`), text);
  return folder;
};
/** A call as a test would have it. */
const call = (counterpart: string, ...checks: string[]): string =>
  `${shownFailing.name}('${counterpart}', [\n  ${checks.map((check) => `'${check}'`).join(',\n  ')},\n]);`;
const rowOf = (page: string, check: string): string =>
  page.split('\n').find((line) => line.includes(`\`${check}\``)) ?? '';

it('tells what was shown on a real counterpart, in the lab only, and nowhere', () => {
  const page = proofsPage(
    folderWith(call('the lab', 'routes', 'disks'), call('hosts behind OpenSSH', 'disks')),
  );
  expect(rowOf(page, 'disks')).toMatch(/real counterpart *\| hosts behind OpenSSH *\| yes/);
  expect(rowOf(page, 'routes')).toMatch(/in the lab only *\| – *\| yes/);
  expect(rowOf(page, 'interfaces')).toMatch(/\*\*unproven\*\*/);
  expect(rowOf(page, 'states-captured')).toMatch(/finds nothing/);
});

it('takes no check that there is not', () => {
  expect(() => proofsPage(folderWith(call('the lab', 'nothing')))).toThrow(/no check: nothing/);
});
