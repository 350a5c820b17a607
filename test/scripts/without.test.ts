import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CASES, IDS, nameOf, WAITS_FOR } from '../field/cases.ts';
import { DISABLED } from '../field/disabled.ts';
import { edited } from '../field/without.ts';

// `npm run test:field -- --without` plays each case of the field reports with its handling switched off. That takes
// long; that its table fits what is written today is held here.

const ROOT = new URL('../..', import.meta.url).pathname;

it('has a handling to switch off for every row that is played', () => {
  const rows = new Set(DISABLED.map(({ row }) => row));
  expect(IDS.filter((id) => !rows.has(id) && !(id in WAITS_FOR))).toEqual([]);
  expect([...rows].filter((row) => !IDS.includes(row))).toEqual([]);
});

it('knows every case that is to fail, and each has one', () => {
  const names = new Set(CASES.map(nameOf));
  const failing = DISABLED.flatMap(({ row, cases }) =>
    (cases ?? CASES.filter(({ id }) => id === row).map(({ what }) => what)).map((what) =>
      nameOf({ id: row, what }),
    ),
  );
  expect(failing.filter((name) => !names.has(name) && !name.startsWith('life-'))).toEqual([]);
  expect([...names].filter((name) => !failing.includes(name))).toEqual([]);
});

it('has names of its own', () => {
  expect(new Set(DISABLED.map(({ name }) => name)).size).toBe(DISABLED.length);
});

it.each(DISABLED.map((each) => [each.name, each] as const))('%s fits the source', (_name, { edits }) => {
  for (const file of new Set(edits.map((edit) => edit.file))) {
    const text = readFileSync(`${ROOT}${file}`, 'utf8');
    expect(edited(file, text, edits)).not.toBe(text);
  }
});
