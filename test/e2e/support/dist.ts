import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { disabledNamed, edited } from '../../field/without.ts';

const ROOT = new URL('../../..', import.meta.url).pathname;
const off = process.env['RACKWRIGHT_WITHOUT'];

/** Where the built product lies: its own folder, or a copy of it where a handling of the field reports is off. */
export const PACKAGE = off === undefined ? ROOT : join(ROOT, '.rackwright', 'without', off);

/** Of a build with a handling switched off: makes the copy that the product is run from. */
export function copyWithout(): void {
  if (off === undefined) return;
  rmSync(PACKAGE, { recursive: true, force: true });
  mkdirSync(PACKAGE, { recursive: true });
  process.once('exit', () => rmSync(PACKAGE, { recursive: true, force: true }));
  cpSync(join(ROOT, 'package.json'), join(PACKAGE, 'package.json'));
  cpSync(join(ROOT, 'dist'), join(PACKAGE, 'dist'), { recursive: true });
  const { edits } = disabledNamed(off);
  const compiled = edits.map((edit) => ({ ...edit, file: edit.file.replace(/\.ts$/, '.js') }));
  for (const file of new Set(compiled.map((edit) => edit.file))) {
    const path = join(PACKAGE, 'dist', file);
    writeFileSync(path, edited(file, readFileSync(path, 'utf8'), compiled));
  }
}
