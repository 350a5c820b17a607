import { FAULT_SWITCHES, type FaultSwitch } from './fault-switches.ts';

export type FaultValues = Record<string, number | true>;

/** The switches of one server. `take` says whether a fault fires now, and counts it down. */
export interface Faults {
  take(name: string): boolean;
  /** Whether a switch is on; nothing is counted down, and the log is told once. */
  on(name: string): boolean;
  milliseconds(name: string): number;
  values(): FaultValues;
  /** Sets switches; answers what is wrong with the request, if anything. `0` or `false` turns one off. */
  set(request: unknown): string | undefined;
  clear(): void;
}

/** Switches over a place that keeps them; `fired` is told of each one that fires. */
export function faults(
  place: { read(): FaultValues; write(values: FaultValues): void },
  fired: (name: string) => void,
  switches: readonly FaultSwitch[] = FAULT_SWITCHES,
): Faults {
  const told = new Set<string>();
  return {
    values: () => place.read(),
    on(name) {
      if (place.read()[name] === undefined) return false;
      if (!told.has(name)) fired(name);
      told.add(name);
      return true;
    },
    milliseconds: (name) => Number(place.read()[name] ?? 0),
    clear: () => place.write({}),
    take(name) {
      const value = place.read()[name];
      if (value === undefined || value === true) return this.on(name);
      const { [name]: _, ...rest } = place.read();
      place.write(value > 1 ? { ...rest, [name]: value - 1 } : rest);
      fired(name);
      return true;
    },
    set(request) {
      if (typeof request !== 'object' || request === null || Array.isArray(request))
        return 'send one JSON object: {"<switch>": <number of times> | true | false}';
      const next = { ...place.read() };
      for (const [name, value] of Object.entries(request)) {
        if (!switches.some((s) => s.name === name)) return `there is no switch "${name}": see GET /faults`;
        if (value === false || value === 0) delete next[name];
        else if (value === true || (Number.isInteger(value) && value > 0)) next[name] = value;
        else return `"${name}" takes a whole number above 0, true or false`;
      }
      place.write(next);
      told.clear();
      return undefined;
    },
  };
}
