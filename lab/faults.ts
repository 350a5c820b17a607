/** The fault switches of the lab, as data: the documentation lists this table. */
export interface FaultSwitch {
  readonly name: string;
  /** `count`: how often it fires (`true` = always). `milliseconds`: a duration. */
  readonly value: 'count' | 'milliseconds';
  readonly description: string;
  /** The kind of field report that it plays. */
  readonly report?: string;
}

/** The writes of a BMC that can go wrong in every way. */
export const WRITES = {
  reset: 'a power action',
  insertMedia: 'inserting virtual media',
  ejectMedia: 'ejecting virtual media',
  patchBoot: 'a change of the boot override',
  createSession: 'opening a session',
} as const;

export type WriteKind = keyof typeof WRITES;

export const WRITE_FAULTS = {
  lostResponse: 'takes effect, and the connection drops before the answer',
  commitAfterTimeout: 'is never answered, and takes effect after the client has given up',
  acceptNotApply: 'is answered with success and has no effect',
  status500: 'is answered with 500 and has no effect',
  status503RetryAfter: 'is answered with 503 and Retry-After, and has no effect',
} as const;

export type WriteFault = keyof typeof WRITE_FAULTS;

const count = (name: string, description: string, report?: string): FaultSwitch => ({
  name,
  value: 'count',
  description,
  ...(report === undefined ? {} : { report }),
});

/** Every switch that `PUT /servers/<name>/faults` takes. */
export const FAULT_SWITCHES: readonly FaultSwitch[] = [
  ...Object.entries(WRITES).flatMap(([write, what]) =>
    Object.entries(WRITE_FAULTS).map(([fault, how]) => count(`${write}.${fault}`, `${what} ${how}`)),
  ),
  count('bmcDown', 'the BMC drops every connection', 'sess-41'),
  { name: 'slow', value: 'milliseconds', description: 'the BMC takes this much longer for every answer' },
  count(
    'mediaUnreachable',
    'the BMC cannot fetch the image: insert fails, and so does a boot from it',
    'vm-15',
  ),
  count('bootsDiskInstead', 'the firmware ignores the override and boots the disk', 'life-57'),
  count('agentSilent', 'the deploy agent starts and never calls'),
  count('agentDies', 'the deploy agent stops answering when it is told to write an image'),
  count('agentFailsWrite', 'writing the image fails half way: the disk has no usable image'),
  count(
    'wrongImageBytes',
    'the image arrives with wrong bytes: they are on the disk when the hash is found wrong',
  ),
  count('eraseFails', 'erasing a disk fails, and its old data stays'),
  count('firstBootSilent', 'the installed system boots and never reports'),
  count('insertNeedsProtocol', 'InsertMedia wants TransferProtocolType', 'vm-1'),
  count('insertNeedsCredentials', 'InsertMedia wants UserName and Password', 'vm-2'),
  count('insertWantsMinimalBody', 'InsertMedia refuses Inserted and WriteProtected', 'vm-4'),
  count('mediaStaysAfterEject', 'after an eject the old media is still shown, for this many reads', 'vm-6'),
  count('ejectEmptyIsError', 'ejecting an empty drive is an error', 'vm-8'),
  count('mediaOnlyUnderSystem', 'the manager has no virtual media', 'vm-10'),
  count('mediaOnlyUnderManager', 'the system has no virtual media', 'vm-10'),
  count('insertShowsLate', 'inserted media is shown after this many reads only', 'vm-16'),
  count('insertIsTask', 'InsertMedia answers 202 with a task', 'vm-16'),
  count(
    'insertTaskFails',
    'the task of InsertMedia ends Completed, and Critical: nothing is inserted',
    'task-33',
  ),
  count('bootNeedsEtag', 'a change of the boot override wants If-Match', 'boot-19'),
  count('bootRefusesMode', 'BootSourceOverrideMode is read-only', 'boot-21'),
  count('onceShowsContinuous', 'an override for one boot is shown as Continuous', 'boot-24'),
  count('bootInPost', 'the boot override cannot be changed now: UnableToModifyDuringSystemPOST', 'boot-25'),
  count('overrideStays', 'an override for one boot is still there after it', 'boot-24'),
  count('sameStateIsConflict', 'On when on and ForceOff when off are answered with 409', 'power-28'),
  count('onAfterOffConflict', 'On is answered with 409', 'power-29'),
  count('sessionLimit', 'opening a session is answered with 503: too many', 'sess-38'),
  count('sessionsForgotten', 'a session is answered with 401 in the middle of work', 'sess-44'),
  count('nicWithoutMac', 'the first interface is shown without its MAC address', 'shape-43'),
];

export type FaultValues = Record<string, number | true>;

/** The switches of one server. `take` says whether a fault fires now, and counts it down. */
export interface Faults {
  take(name: string): boolean;
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
): Faults {
  return {
    values: () => place.read(),
    milliseconds: (name) => Number(place.read()[name] ?? 0),
    clear: () => place.write({}),
    take(name) {
      const value = place.read()[name];
      if (value === undefined) return false;
      if (value !== true) {
        const { [name]: _, ...rest } = place.read();
        place.write(value > 1 ? { ...rest, [name]: value - 1 } : rest);
      }
      fired(name);
      return true;
    },
    set(request) {
      if (typeof request !== 'object' || request === null || Array.isArray(request))
        return 'send one JSON object: {"<switch>": <number of times> | true | false}';
      const next = { ...place.read() };
      for (const [name, value] of Object.entries(request)) {
        if (!FAULT_SWITCHES.some((s) => s.name === name))
          return `there is no switch "${name}": see GET /faults`;
        if (value === false || value === 0) delete next[name];
        else if (value === true || (Number.isInteger(value) && value > 0)) next[name] = value;
        else return `"${name}" takes a whole number above 0, true or false`;
      }
      place.write(next);
      return undefined;
    },
  };
}

/** No faults at all. */
export const noFaults: Pick<Faults, 'take'> = { take: () => false };
