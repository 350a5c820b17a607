import { changesServer, isRead, tally, type Asked } from './requests.ts';

/** A table in columns: text to the left, numbers to the right. */
export function table(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const all = [header, ...rows];
  const widths = header.map((_, i) => Math.max(...all.map((row) => String(row[i] ?? '').length)));
  const line = (row: readonly (string | number)[]): string =>
    header
      .map((_, i) => {
        const cell = row[i] ?? '';
        const number = rows.every((each) => typeof each[i] === 'number' || each[i] === '');
        return number ? String(cell).padStart(widths[i]!) : String(cell).padEnd(widths[i]!);
      })
      .join('  ')
      .trimEnd();
  return [line(header), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}

/** Both deploys beside each other: writes by what they do, reads by what they are of. */
export function comparison(ours: readonly Asked[], theirs: readonly Asked[]): string {
  const rows = (which: (asked: Asked) => boolean, total: string): (string | number)[][] => {
    const [a, b] = [ours.filter(which), theirs.filter(which)];
    const [left, right] = [tally(a), tally(b)];
    const kinds = [...tally([...a, ...b]).keys()];
    return [
      ...kinds.map((kind) => [kind, left.get(kind) ?? 0, right.get(kind) ?? 0, '']),
      [total, a.length, b.length, ratio(a.length, b.length)],
    ];
  };
  const isWrite = (asked: Asked): boolean => !isRead(asked);
  const sum = (which: (asked: Asked) => boolean, name: string): (string | number)[] =>
    rows(which, name).at(-1)!;
  return [
    table(
      ['writes', 'ours', 'Ironic', 'ratio'],
      [...rows(isWrite, 'all writes'), sum(changesServer, 'without sessions')],
    ),
    table(
      ['reads', 'ours', 'Ironic', 'ratio'],
      [...rows(isRead, 'all reads'), sum(() => true, 'all requests')],
    ),
  ].join('\n\n');
}

const ratio = (a: number, b: number): string => (b === 0 ? '' : (a / b).toFixed(2));

/** Our deploy, step by step; steps that ask nothing of the BMC are left out. */
export function bySteps(steps: ReadonlyMap<string, readonly Asked[]>): string {
  const told = (requests: readonly Asked[]): string =>
    [...tally(requests)].map(([kind, count]) => (count === 1 ? kind : `${count} × ${kind}`)).join(', ');
  const rows = [...steps]
    .filter(([, requests]) => requests.length > 0)
    .map(([step, requests]) => {
      const reads = requests.filter(isRead);
      const writes = requests.filter((asked) => !isRead(asked));
      return [step, reads.length, writes.length, told(writes), told(reads)];
    });
  return table(['our step', 'reads', 'writes', 'what it writes', 'what it reads'], rows);
}
