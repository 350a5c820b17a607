import { expect, it } from 'vitest';
import { paced } from '../../../activities/watch/pace.ts';

const never = new AbortController().signal;
/** Lets everything run that is ready to. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('never more than so many are under way: the next begins when one has ended', async () => {
  const open: (() => void)[] = [];
  let begun = 0;
  const work = (): Promise<void> => {
    begun += 1;
    return new Promise((resolve) => void open.push(resolve));
  };
  const items = Array.from({ length: 1000 }, (_, i) => i);
  const done = paced(items, { spreadMs: 0, atOnce: 64, signal: never }, work);
  await settle();
  expect(begun).toBe(64);
  open.shift()!();
  open.shift()!();
  await settle();
  expect(begun).toBe(66);
  while (begun < items.length || open.length > 0) {
    for (const end of open.splice(0)) end();
    await settle();
    expect(open.length).toBeLessThanOrEqual(64);
  }
  await done;
  expect(begun).toBe(1000);
});

it('the beginnings are spread over the time', async () => {
  const began: number[] = [];
  const since = Date.now();
  await paced([0, 1, 2, 3], { spreadMs: 200, atOnce: 64, signal: never }, async () => {
    began.push(Date.now() - since);
  });
  // Timers may be late, and never are more than a millisecond early.
  for (const [i, at] of began.entries()) expect(at).toBeGreaterThanOrEqual(i * 50 - 1);
});

it('an abort begins nothing more, and awaits what is under way', async () => {
  const stop = new AbortController();
  const items: number[] = [];
  let end: () => void = () => undefined;
  const done = paced([0, 1, 2], { spreadMs: 60_000, atOnce: 1, signal: stop.signal }, (item) => {
    items.push(item);
    return new Promise((resolve) => (end = resolve));
  });
  await settle();
  stop.abort();
  end();
  await done;
  expect(items).toEqual([0]);
});
