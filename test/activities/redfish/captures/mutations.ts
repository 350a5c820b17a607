type Mutable = { [key: string]: unknown } | unknown[];
export type Random = () => number;

/** Numbers from 0 to 1, the same ones for the same seed. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const oneOf = <T>(random: Random, items: readonly T[]): T =>
  items[Math.floor(random() * items.length)]!;

const HUGE = 200_000;
/** What is too deep to be read never comes here: the transport refuses more than 200 levels. */
const nested = (depth: number): unknown => {
  let value: unknown = {};
  for (let i = 0; i < depth; i += 1) value = i % 2 === 0 ? [value] : { Status: value };
  return value;
};

const VALUES: readonly (() => unknown)[] = [
  () => null,
  () => '',
  () => '          ',
  () => 'N/A',
  () => 'To Be Filled By O.E.M.',
  () => 255,
  () => -1,
  () => 1e308,
  () => '16',
  () => true,
  () => [],
  () => ({}),
  () => [null, 7, '', [], { '@odata.id': 7 }],
  () => ({ '@odata.id': '/redfish/v1/nowhere' }),
  () => Array.from({ length: 2_000 }, (_, i) => ({ '@odata.id': `/redfish/v1/${i}` })),
  () => 'failcd'.repeat(HUGE / 6),
  () => '/'.repeat(HUGE) + 'x',
  () => `${'?'.repeat(HUGE)}\n`,
  () => 'MAC('.repeat(HUGE / 4),
  () => nested(150),
];

/** Every object and list in a value, the value itself among them. */
function holders(value: unknown): Mutable[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value as Mutable, ...Object.values(value).flatMap(holders)];
}

/** A copy of a body with up to four things in it gone, of another type, huge, nested, or elsewhere. */
export function mutated(body: unknown, random: Random): unknown {
  const copy = { body: structuredClone(body) };
  for (let left = 1 + Math.floor(random() * 4); left > 0; left -= 1) {
    // Most of what readers look for stands at the top.
    const top = random() < 0.6 && typeof copy.body === 'object' && copy.body !== null;
    const holder = (top ? copy.body : oneOf(random, holders(copy))) as { [key: string]: unknown };
    const key = oneOf(random, Object.keys(holder));
    if (key === undefined) continue;
    const way = random();
    if (way < 0.2) delete holder[key];
    else if (way < 0.3) holder[key] = [holder[key]];
    else if (way < 0.4) holder[key] = { Value: holder[key] };
    else if (way < 0.5) holder[key] = structuredClone(oneOf(random, holders(copy.body)));
    else holder[key] = oneOf(random, VALUES)();
  }
  return copy.body;
}
