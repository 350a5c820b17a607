/** One handling that can be switched off, and the cases that must fail then. */
export interface Disabled {
  readonly name: string;
  /** The row of the field reports. */
  readonly row: string;
  /** By their `what`. @default all of the row */
  readonly cases?: readonly string[];
  /** What is off. */
  readonly off: string;
  /** Each `find` stands exactly once in its file. */
  readonly edits: readonly { readonly file: string; readonly find: string; readonly replace: string }[];
  /** What fails is the process: nobody waits for what goes wrong. */
  readonly crashes?: true;
}

const MEDIA = 'activities/redfish/media.ts';
const ACTIONS = 'activities/redfish/media-actions.ts';
const DRIVES = 'activities/redfish/media-drives.ts';
const CORE_MEDIA = 'core/redfish/media.ts';
const BOOT = 'activities/redfish/boot.ts';
const CORE_BOOT = 'core/redfish/boot.ts';
const POWER = 'activities/redfish/power.ts';
const CORE_POWER = 'core/redfish/power.ts';
const MESSAGES = 'core/redfish/messages.ts';
const TASK = 'activities/redfish/task.ts';
const CORE_TASK = 'core/redfish/task.ts';
const SESSION = 'activities/redfish/session.ts';
const BIOS_JOBS = 'activities/redfish/bios-jobs.ts';
const BIOS_SETTINGS = 'activities/drivers/redfish/bios-settings.ts';
const BIOS_VERIFY = 'activities/drivers/redfish/bios-verify.ts';
const ERRORS = 'activities/redfish/errors.ts';
const UPDATE = 'activities/drivers/redfish/firmware-update.ts';
const FOLLOW = 'activities/drivers/redfish/firmware-follow.ts';

const edit = (file: string, find: string, replace: string): Disabled['edits'][number] => ({
  file,
  find,
  replace,
});

export const DISABLED: readonly Disabled[] = [
  {
    name: 'vm-1',
    row: 'vm-1',
    cases: [
      'TransferProtocolType in MessageArgs',
      'TransferProtocolType in RelatedProperties',
      'TransferProtocolType in the text only',
    ],
    off: 'a parameter that an error names is added',
    edits: [edit(ACTIONS, '        parameters.add(name);\n', '')],
  },
  {
    name: 'vm-1-args',
    row: 'vm-1',
    cases: ['TransferProtocolType in MessageArgs'],
    off: 'names are looked for in MessageArgs',
    edits: [edit(MESSAGES, 'm.args.some((a) => names_(a, name)) ||', '')],
  },
  {
    name: 'vm-1-related',
    row: 'vm-1',
    cases: ['TransferProtocolType in RelatedProperties'],
    off: 'names are looked for in RelatedProperties',
    edits: [edit(MESSAGES, 'm.properties.some((p) => names_(p, name)) ||', '')],
  },
  {
    name: 'vm-1-text',
    row: 'vm-1',
    cases: ['TransferProtocolType in the text only'],
    off: 'names are looked for in the text',
    edits: [edit(MESSAGES, "names_(m.text ?? '', name),", 'false,')],
  },
  {
    name: 'vm-1-once',
    row: 'vm-1',
    cases: ['it is asked for though it was given: one more request, then an error'],
    off: 'each parameter is tried once',
    edits: [edit(ACTIONS, ' && !learned.includes(name as InsertParameter)', '')],
  },
  {
    name: 'vm-2',
    row: 'vm-2',
    cases: ['UserName and Password, even dummies'],
    off: 'UserName and Password are among what may be asked for',
    edits: [edit(CORE_MEDIA, "  'UserName',\n  'Password',\n", '')],
  },
  {
    name: 'vm-2-code',
    row: 'vm-2',
    cases: ['the same, and the errors have no code'],
    off: 'an error without a code is read',
    edits: [
      edit(
        MESSAGES,
        "  const error = asObject(top['error']);\n",
        "  const error = asObject(top['error']);\n  if (error['code'] === undefined) return [];\n",
      ),
    ],
  },
  {
    name: 'vm-2-contract',
    row: 'vm-2',
    cases: ['those of the contract are sent, where it has some'],
    off: 'the credentials of the contract are taken',
    edits: [
      edit(
        'activities/drivers/redfish/media-steps.ts',
        'return given && credentialsOf(given, secret);',
        'return given && undefined;',
      ),
    ],
  },
  {
    name: 'vm-4',
    row: 'vm-4',
    off: 'nothing is sent unasked',
    edits: [
      edit(
        CORE_MEDIA,
        'const wanted = new Set<InsertParameter>(parameters);',
        "const wanted = new Set<InsertParameter>([...parameters, 'Inserted', 'WriteProtected']);",
      ),
    ],
  },
  {
    name: 'vm-6-some-reads',
    row: 'vm-6',
    cases: ['the old image is shown for some reads'],
    off: 'what is shown after an eject is given time',
    edits: [
      edit(
        ACTIONS,
        'const now = await watch(bmc, slot, (s) => !isOccupied(s), refused ? { ...options, watchMs: 0 } : options);',
        "const now = await watch(bmc, slot, (s) => !isOccupied(s), { ...options, watchMs: 0 });\n  if (isOccupied(now)) throw fail('MEDIA_REFUSED', 'It is still shown.');",
      ),
    ],
  },
  {
    name: 'vm-6-url',
    row: 'vm-6',
    cases: ['the old URL stays for ever'],
    off: 'Inserted and ConnectedVia are looked at',
    edits: [
      edit(
        CORE_MEDIA,
        '  if (slot.inserted === false) return false;\n  if (slot.connected === false) return false;\n',
        '',
      ),
    ],
  },
  {
    name: 'vm-6-connected',
    row: 'vm-6',
    cases: ['Inserted stays for ever, ConnectedVia does not'],
    off: 'ConnectedVia is looked at',
    edits: [edit(CORE_MEDIA, '  if (slot.connected === false) return false;\n', '')],
  },
  {
    name: 'vm-6-for-ever',
    row: 'vm-6',
    cases: ['everything stays for ever: an error that says so'],
    off: 'an insert waits for the eject',
    edits: [
      edit(
        MEDIA,
        '&& isOccupied(await eject(bmc, slot, options))) {',
        '&& (await eject(bmc, slot, options)) === null) {',
      ),
    ],
  },
  {
    name: 'vm-6-same-url',
    row: 'vm-6',
    cases: ['the very URL is inserted again while the old one is shown'],
    off: 'what was ejected a moment ago is not believed',
    edits: [edit(MEDIA, ' && !bmc.memory.ejects.has(slot.uri)', '')],
  },
  {
    name: 'vm-8',
    row: 'vm-8',
    off: 'an error that says "empty" is success',
    edits: [
      edit(
        ACTIONS,
        '!ABOUT_THE_ACTION.has(answer.status) && anyMessage(messagesOf(answer), EMPTY);',
        'answer.status === 0;',
      ),
    ],
  },
  {
    name: 'vm-10-system',
    row: 'vm-10',
    cases: ['drives under the system only'],
    off: 'drives are looked for under the system',
    edits: [edit(DRIVES, "  await add(linkOf(system.body['VirtualMedia']), 'system');\n", '')],
  },
  {
    name: 'vm-10-manager',
    row: 'vm-10',
    cases: ['drives under the manager only', 'under both, those of the system refuse'],
    off: 'drives are looked for under the manager',
    edits: [edit(DRIVES, 'if (manager !== null) await add', 'if (manager === undefined) await add')],
  },
  {
    name: 'vm-10-next',
    row: 'vm-10',
    cases: ['under both, those of the system refuse'],
    off: 'after a 404 the next drive is tried',
    edits: [edit(ACTIONS, " || code === 'BMC_NOT_FOUND'", '')],
  },
  {
    name: 'vm-10-dead',
    row: 'vm-10',
    cases: ['under both, those of the system take it and show nothing; found out once'],
    off: 'a dead drive is remembered',
    edits: [edit(MEDIA, '    bmc.memory.deadDrives.add(asked.slot);\n', '')],
  },
  {
    name: 'vm-12-dvd',
    row: 'vm-12',
    cases: ['a slot without InsertMedia, DVD instead of CD', 'a slot that answers 405'],
    off: 'a DVD drive takes a CD',
    edits: [edit(CORE_MEDIA, '/^(cd|dvd)/i.test(type)', '/^cd$/i.test(type)')],
  },
  {
    name: 'vm-12-405',
    row: 'vm-12',
    cases: ['a slot that answers 405'],
    off: 'after a 405 the next drive is tried',
    edits: [
      edit(
        ACTIONS,
        "    return { state: 'next', error };",
        "    if (answer.status === 405) throw error;\n    return { state: 'next', error };",
      ),
    ],
  },
  {
    name: 'vm-12-none',
    row: 'vm-12',
    cases: ['no slot that takes an image: an error'],
    off: 'that none is left is an error',
    edits: [
      edit(MEDIA, 'throw noDrive(slots, dead, tried, url, oursOn(bmc, options));', "return pending('none');"),
    ],
  },
  {
    name: 'vm-14',
    row: 'vm-14',
    off: 'a drive without an action is patched',
    edits: [edit(CORE_MEDIA, '!withAction || slot.insertTarget !== null', 'slot.insertTarget !== null')],
  },
  {
    name: 'vm-14-absent',
    row: 'vm-14',
    off: 'a drive without Inserted is known by its image',
    edits: [edit(CORE_MEDIA, '  return slot.image !== null;\n', '  return false;\n')],
  },
  {
    name: 'vm-15',
    row: 'vm-15',
    cases: ['the BMC cannot fetch the image', 'the same as RAC0904', 'the same as a text'],
    off: 'who could not fetch is told apart from who refuses',
    edits: [
      edit(
        ACTIONS,
        'if (ABOUT_THE_ACTION.has(answer.status) || !saysNotFetched(messages)) return;',
        'if (messages.length < 1_000) return;',
      ),
    ],
  },
  {
    name: 'vm-15-id',
    row: 'vm-15',
    cases: ['the same as RAC0904'],
    off: 'the id of the message is known',
    edits: [edit(CORE_MEDIA, "KNOWN_IDS.test(m.id ?? '') ||", '')],
  },
  {
    name: 'vm-15-text',
    row: 'vm-15',
    cases: ['the same as a text'],
    off: 'the text is read',
    edits: [edit(CORE_MEDIA, 'm.text !== null && NOT_FETCHED.test(m.text)', 'm.text === m.id')],
  },
  {
    name: 'vm-16-task',
    row: 'vm-16',
    cases: ['the insert is a task'],
    off: '202 is an acceptance',
    edits: [
      edit(
        ACTIONS,
        '    if (answer.status < 400) {\n',
        "    if (answer.status === 202) throw refusal(answer, 'Inserting', 'MEDIA_REFUSED');\n    if (answer.status < 400) {\n",
      ),
    ],
  },
  {
    name: 'vm-16-late',
    row: 'vm-16',
    cases: ['the image is shown late', 'a task, and shown late'],
    off: 'an image counts when it is shown',
    edits: [
      edit(
        MEDIA,
        'const now = await watch(bmc, slot, (s) => holds(s, url), options);',
        'const now = slot;\n    if (now !== undefined) return inserted(bmc, system, now, url, true);',
      ),
    ],
  },
  {
    name: 'task-32-body',
    row: 'task-32',
    cases: ['the task is in the body, and has failed'],
    off: 'a task is found in the body',
    edits: [
      edit(CORE_TASK, '  if (monitor !== null) return monitor;\n', ''),
      edit(CORE_TASK, '  if (own !== null && (isTask ||', '  if (own === undefined && (isTask ||'),
    ],
  },
  {
    name: 'task-32-args',
    row: 'task-32',
    cases: ['the task is in MessageArgs, and has failed'],
    off: 'a task is found in the arguments of a message',
    edits: [
      edit(
        CORE_TASK,
        "for (const text of [...m.args, m.text ?? '']) {",
        'for (const text of [] as string[]) {',
      ),
    ],
  },
  {
    name: 'task-32',
    row: 'task-32',
    cases: ['the task is in the body', 'the task is in MessageArgs', 'the task is nowhere'],
    off: 'without a task, and without its Location, the effect is watched',
    edits: [
      edit(
        TASK,
        "  if (uri === null) return { state: 'untracked',",
        "  if (uri === null) return { state: 'failed',",
      ),
      edit(
        CORE_TASK,
        '  const task = asObject(body);\n  const type',
        '  if (body !== null) return null;\n  const task = asObject(body);\n  const type',
      ),
    ],
  },
  {
    name: 'task-33',
    row: 'task-33',
    off: 'Completed with Critical is a failure',
    edits: [edit(CORE_TASK, "    if (critical) return { ...reading, state: 'failed' };\n", '')],
  },
  {
    name: 'task-34',
    row: 'task-34',
    cases: [
      'a state that is in no standard',
      'firmware: a state that is in no standard',
      'firmware: a task that waits for the reset of the host',
    ],
    off: 'an unknown state is active',
    edits: [
      edit(
        CORE_TASK,
        "  }\n  return { ...reading, state: 'running' };\n",
        "  }\n  return { ...reading, state: raw === 'Running' ? 'running' : 'failed' };\n",
      ),
    ],
  },
  {
    name: 'task-36',
    row: 'task-36',
    off: '204 and 303 are legal',
    edits: [
      edit(CORE_TASK, 'status >= 200 && status < 400', 'status === 200'),
      edit(
        TASK,
        "outcome.status === 200 && at(outcome.body, 'TaskState') !== undefined",
        'outcome === undefined',
      ),
    ],
  },
  {
    name: 'task-37',
    row: 'task-37',
    cases: [
      'an absolute Location, of a task that has failed',
      'a relative Location, of a task that has failed',
    ],
    off: 'the query is kept',
    edits: [edit(SESSION, 'return url.pathname + url.search;', 'return url.pathname;')],
  },
  {
    name: 'task-37-name',
    row: 'task-37',
    cases: [
      'an absolute Location with a query',
      'an absolute Location, of a task that has failed',
      'firmware: Locations absolute and relative, with a query',
    ],
    off: "a BMC's own name for itself is left out",
    edits: [
      edit(TASK, 'return location === null ? null : pathOf(location, response.url);', 'return location;'),
    ],
  },
  {
    name: 'task-37-base',
    row: 'task-37',
    cases: ['a relative Location, of a task that has failed'],
    off: 'a relative Location starts at the URL of the answer',
    edits: [
      edit(
        TASK,
        'return location === null ? null : pathOf(location, response.url);',
        'return location === null ? null : pathOf(location, new URL(response.url).origin);',
      ),
    ],
  },
  {
    name: 'task-37-relative',
    row: 'task-37',
    cases: ['a relative Location with a query', 'a relative Location, of a task that has failed'],
    off: 'a relative Location is resolved',
    edits: [
      edit(
        TASK,
        'return location === null ? null : pathOf(location, response.url);',
        'return location === null ? null : new URL(location).pathname;',
      ),
    ],
  },
  {
    name: 'boot-17',
    row: 'boot-17',
    off: 'what is read-only on the system is written to its settings',
    edits: [
      edit(BOOT, '  if (!isReadOnly(answer)) return answer;\n', '  if (answer !== null) return answer;\n'),
    ],
  },
  {
    name: 'boot-18',
    row: 'boot-18',
    off: 'settings are read before they are written to',
    edits: [
      edit(BOOT, '  if (throughSettings(bmc, system)) {', '  if (way !== undefined) {'),
      edit(
        BOOT,
        'if (hasBoot(settings)) return patchBoot(bmc, settings, way);',
        'if (settings !== null) return patchBoot(bmc, settings, way);',
      ),
    ],
  },
  {
    name: 'boot-19',
    row: 'boot-19',
    off: 'If-Match is sent where it is wanted',
    edits: [
      edit(
        'activities/redfish/patch.ts',
        'if ((answer.status !== 428 && answer.status !== 412) || tries === TRIES) {',
        'if (tries > 0) {',
      ),
    ],
  },
  {
    name: 'boot-21-equal',
    row: 'boot-21',
    cases: ['the mode is read-only: not sent, since it does not differ'],
    off: 'a mode that does not differ is not sent',
    edits: [
      edit(
        CORE_BOOT,
        'const differs = mode !== undefined && boot.knowsMode && boot.mode !== null && boot.mode !== mode;',
        'const differs = mode !== undefined;',
      ),
    ],
  },
  {
    name: 'boot-21-needed',
    row: 'boot-21',
    cases: ['the mode is required'],
    off: 'the mode is added where an error names it',
    edits: [edit(BOOT, 'if (!named || !changed) return answer;', 'if (answer.status > 0) return answer;')],
  },
  {
    name: 'boot-21-unknown',
    row: 'boot-21',
    cases: ['the mode is unknown'],
    off: 'a mode that is not shown is not sent, and left out where an error names it',
    edits: [
      edit(
        CORE_BOOT,
        'const differs = mode !== undefined && boot.knowsMode && boot.mode !== null && boot.mode !== mode;',
        'const differs = mode !== undefined;',
      ),
      edit(BOOT, 'if (!named || !changed) return answer;', 'if (answer.status > 0) return answer;'),
    ],
  },
  {
    name: 'boot-21-shown',
    row: 'boot-21',
    cases: ['the mode is read-only and another one: an error that shows it'],
    off: 'another mode than the wanted one is seen',
    edits: [
      edit(
        CORE_BOOT,
        '(mode === undefined || !boot.knowsMode || boot.mode === null || boot.mode === mode);',
        'mode !== null;',
      ),
    ],
  },
  {
    name: 'boot-22-equal',
    row: 'boot-22',
    cases: ['an equal mode would queue a job: not written'],
    off: 'only differences are written',
    edits: [edit(CORE_BOOT, ' && boot.mode !== null && boot.mode !== mode;', ';')],
  },
  {
    name: 'boot-22-job',
    row: 'boot-22',
    cases: ['a job is pending: waits'],
    off: 'a pending job is something that passes',
    edits: [edit(ERRORS, 'if (status === 400 && anyMessage(messages, JOB_PENDING))', 'if (status === 0)')],
  },
  {
    name: 'boot-24-shown',
    row: 'boot-24',
    cases: ['Once reads back as Continuous'],
    off: 'Continuous will do for Once',
    edits: [
      edit(
        CORE_BOOT,
        "  (boot.enabled === 'Once' || boot.enabled === 'Continuous') &&",
        "  boot.enabled === 'Once' &&",
      ),
      edit(
        CORE_BOOT,
        "    : boot.enabled === 'Once' || boot.enabled === 'Continuous') &&",
        "    : boot.enabled === 'Once') &&",
      ),
    ],
  },
  {
    name: 'boot-24-stays',
    row: 'boot-24',
    cases: ['Once stays after the boot'],
    off: 'the override is cleared at the end',
    edits: [
      edit(
        BOOT,
        '  const ways = clearingPatches(before);\n',
        "  if (before !== null) return { state: 'reached', changed: false, what };\n  const ways = clearingPatches(before);\n",
      ),
    ],
  },
  {
    name: 'boot-24-only',
    row: 'boot-24',
    cases: ['only Continuous is offered'],
    off: 'Continuous is asked for where Once is not offered',
    edits: [edit(CORE_BOOT, "once ? 'Once' : 'Continuous'", "once ? 'Once' : 'Once'")],
  },
  {
    name: 'boot-25',
    row: 'boot-25',
    off: 'a state that passes is told apart from a refusal',
    edits: [edit(ERRORS, 'if (anyMessage(messages, WRONG_STATE))', 'if (status === 0)')],
  },
  {
    name: 'life-66',
    row: 'life-66',
    cases: ['reads right once, then flips'],
    off: 'it counts when it reads so twice in a row',
    edits: [edit(BOOT, 'if (inARow >= 2) return true;', 'if (inARow >= 1) return true;')],
  },
  {
    name: 'life-66-bios',
    row: 'life-66',
    cases: ['BIOS settings read right once, then flip: read twice in a row'],
    off: 'BIOS settings count when they read so twice in a row',
    edits: [
      edit(
        BIOS_VERIFY,
        'if (first.verdict.state !== second.verdict.state) {',
        "if (first.verdict.state === 'other') {",
      ),
    ],
  },
  {
    name: 'power-28',
    row: 'power-28',
    off: 'after a refusal it counts how the power reads',
    edits: [
      edit(
        POWER,
        '    if (readPower((await readResource(bmc, systemUri)).body) === goal) return asked;\n',
        "    if (last !== undefined) throw refusal(answer, resetType, 'POWER_REFUSED');\n",
      ),
    ],
  },
  {
    name: 'power-29',
    row: 'power-29',
    off: 'a conflict passes',
    edits: [
      edit(
        POWER,
        "    if (code === 'BMC_CONFLICT' || code === 'BMC_STATE_REFUSED') {\n      const { message }",
        "    if (code === 'BMC_CONFLICT') throw refusal(answer, resetType, 'POWER_REFUSED');\n    if (code === 'BMC_STATE_REFUSED') {\n      const { message }",
      ),
    ],
  },
  {
    name: 'power-30-glued',
    row: 'power-30',
    cases: ['two reset types are glued together'],
    off: 'glued names are taken apart, and the list is a hint only',
    edits: [
      edit(CORE_POWER, 'return found.length > 0 ? found : [value];', 'return [value];'),
      edit(
        CORE_POWER,
        "if (goal === 'off') return graceful ? ['GracefulShutdown', 'ForceOff'] : ['ForceOff', 'GracefulShutdown'];",
        "if (goal === 'off') return ['GracefulShutdown'].filter((type) => advertised!.includes(type));",
      ),
    ],
  },
  {
    name: 'power-30-lack',
    row: 'power-30',
    cases: ['the list lacks what works'],
    off: 'the list is a hint only',
    edits: [
      edit(
        CORE_POWER,
        "return forced ? ['ForceOn', 'On'] : ['On', 'ForceOn'];",
        "return (forced ? ['ForceOn', 'On'] : ['On', 'ForceOn']).filter((type) => advertised!.includes(type));",
      ),
    ],
  },
  {
    name: 'power-30-restart',
    row: 'power-30',
    cases: ['restarts are refused: not asked for'],
    off: 'a reboot is off, then on',
    edits: [
      edit(
        POWER,
        "  const { stage, asked } = progress ?? { stage: 'off' };\n",
        "  await bmc.send('POST', `${systemUri}/Actions/ComputerSystem.Reset`, { body: { ResetType: 'GracefulRestart' } });\n  if (progress === undefined) return { state: 'reached', changed: true, what: 'it restarts' };\n  const { stage, asked } = progress;\n",
      ),
    ],
  },
  {
    name: 'power-30-refused',
    row: 'power-30',
    cases: ['a shutdown is refused: forced'],
    off: 'what does not go gracefully is forced',
    edits: [
      edit(CORE_POWER, "graceful ? ['GracefulShutdown', 'ForceOff']", "graceful ? ['GracefulShutdown']"),
    ],
  },
  {
    name: 'power-30-ignored',
    row: 'power-30',
    cases: ['a shutdown is accepted, and the system goes on: forced after its time'],
    off: 'a shutdown has its time, and no more',
    edits: [
      edit(
        POWER,
        'const due = forcing ? Date.now() - mine.since >= options.gracefulMs! : age >= patienceMs;',
        'const due = !forcing && age >= patienceMs;',
      ),
    ],
  },
  {
    name: 'sess-38',
    row: 'sess-38',
    off: 'after a session limit nobody asks for a while',
    edits: [edit(SESSION, "      if (code === 'BMC_SESSION_LIMIT') throw this.limit(answer);\n", '')],
  },
  {
    name: 'sess-41-lost',
    row: 'sess-41',
    cases: ['connections dropped'],
    off: 'a connection that broke may come again',
    edits: [
      edit(
        ERRORS,
        "  return fail('BMC_CONNECTION_LOST', `${where}: the connection broke (${code}).`",
        "  return fail('BMC_REFUSED', `${where}: the connection broke (${code}).`",
      ),
    ],
  },
  {
    name: 'sess-41-busy',
    row: 'sess-41',
    cases: [
      '503 to everything',
      '503 with Retry-After',
      '503 to what changes something',
      'firmware: 503 to SimpleUpdate, with Retry-After',
    ],
    off: '503 passes',
    edits: [
      edit(ERRORS, 'if (status === 429 || status === 503)', 'if (status === 429)'),
      edit(
        ERRORS,
        "  return status >= 500 ? 'BMC_INTERNAL_ERROR' : 'BMC_REFUSED';",
        "  return 'BMC_REFUSED';",
      ),
    ],
  },
  {
    name: 'sess-41-twice',
    row: 'sess-41',
    cases: ['answers that are lost: nothing is done twice'],
    off: 'only what is harmless is sent again',
    edits: [
      edit(
        'activities/redfish/persistence.ts',
        "new Set(['GET', 'HEAD', 'DELETE'])",
        "new Set(['GET', 'HEAD', 'DELETE', 'POST', 'PATCH'])",
      ),
    ],
  },
  {
    name: 'sess-44',
    row: 'sess-44',
    cases: ['401 in the middle: one new login'],
    off: 'a session that was forgotten is opened anew',
    edits: [
      edit(
        'activities/redfish/transport.ts',
        'if (answer.status !== 401) return answer;',
        'if (answer.status > 0) return answer;',
      ),
    ],
  },
  {
    name: 'sess-44-logout',
    row: 'sess-44',
    cases: ['401 to a logout fails nothing'],
    off: 'a logout that is refused fails nothing',
    crashes: true,
    edits: [
      edit(
        SESSION,
        "    await this.raw('DELETE', session.uri, { headers: { 'x-auth-token': session.token } }).catch(\n      () => undefined,\n    );\n",
        "    const bye = await this.raw('DELETE', session.uri, { headers: { 'x-auth-token': session.token } });\n    if (bye.status >= 400) throw refusal(bye, 'Logging out');\n",
      ),
    ],
  },
  {
    name: 'sess-46',
    row: 'sess-46',
    off: 'a password that has to be changed is known as such',
    edits: [
      edit(
        ERRORS,
        "  if (anyMessage(messages, /PasswordChangeRequired/)) return 'BMC_PASSWORD_CHANGE_REQUIRED';\n",
        '',
      ),
    ],
  },
  {
    name: 'sess-47',
    row: 'sess-47',
    off: 'a refused password is not sent again',
    edits: [edit(SESSION, '    refused.set(this.key, { origin: this.origin });\n', '')],
  },
  {
    name: 'shape-43',
    row: 'shape-43',
    off: 'an interface without a MAC is no identity',
    edits: [
      edit(
        'core/redfish/nics.ts',
        'if (reading.mac === null) without.push(reading);',
        "if (reading.mac === null) throw new TypeError('no MAC');",
      ),
    ],
  },
  {
    name: 'shape-43-union',
    row: 'shape-43',
    cases: ['the MAC address is known from another source'],
    off: 'all sources are put together',
    edits: [
      edit('activities/redfish/nics.ts', '...all.flatMap(', '...all.slice(1_000).flatMap('),
      edit('activities/redfish/nics.ts', '...options.flatMap(', '...options.slice(1_000).flatMap('),
    ],
  },
  {
    name: 'shape-49',
    row: 'shape-49',
    cases: ['the links from a system to its manager, and what is under the manager only'],
    off: 'managers are found without a link to them',
    edits: [
      edit(
        'activities/redfish/service.ts',
        'if (named.length > 0) return named;',
        'if (named.length >= 0) return named;',
      ),
    ],
  },
  {
    name: 'shape-49-fields',
    row: 'shape-49',
    off: 'a system without a required field is a system',
    edits: [
      edit(
        'activities/redfish/service.ts',
        "  const type = asText(answer.body['@odata.type']) ?? '';\n",
        "  if (answer.body['SystemType'] === undefined) throw fail('BMC_ANSWER_INVALID', 'no SystemType');\n  const type = asText(answer.body['@odata.type']) ?? '';\n",
      ),
    ],
  },
  {
    name: 'shape-50',
    row: 'shape-50',
    off: 'a number that is none is unknown',
    edits: [
      edit(
        'core/redfish/read.ts',
        "  if (typeof value !== 'string' || !/^\\s*-?\\d+(\\.\\d+)?\\s*$/.test(value)) return null;\n",
        "  if (typeof value !== 'string') return null;\n  if (!/^\\s*-?\\d+(\\.\\d+)?\\s*$/.test(value)) throw new TypeError('no number');\n",
      ),
    ],
  },
  {
    name: 'shape-50-info',
    row: 'shape-50',
    off: 'one message instead of a list is read',
    edits: [
      edit(
        'core/redfish/read.ts',
        "  return typeof value === 'object' && value !== null ? [value] : [];\n",
        '  return [];\n',
      ),
    ],
  },
  {
    name: 'shape-63',
    row: 'shape-63',
    off: 'an address that names a resource is refused',
    edits: [
      edit('contracts/inventory/bmc.ts', '!/\\/redfish(\\/|$)/i.test(address);', 'address !== undefined;'),
    ],
  },
  {
    name: 'bios-52',
    row: 'bios-52',
    off: 'a job that the write has made is adopted, and no other is asked for',
    edits: [
      edit(
        BIOS_SETTINGS,
        'if (job === null && waiting.length > 0 && !takesApplyTime(bios)) {',
        'if (takesApplyTime(bios)) {',
      ),
      edit(
        BIOS_JOBS,
        "  if (there !== null || (answer.status === 400 && codeOf(answer) === 'BMC_STATE_REFUSED')) return there;\n",
        "  if (there === '' && codeOf(answer) === 'BMC_STATE_REFUSED') return there;\n",
      ),
    ],
  },
  {
    name: 'bios-53',
    row: 'bios-53',
    off: 'only what differs is written',
    edits: [
      edit(
        'core/redfish/bios-standing.ts',
        'else (sameValue(now[name], value, type) ? applied : missing).push(name);',
        'else (sameValue(now[name], value, type) ? missing : missing).push(name);',
      ),
    ],
  },
  {
    name: 'bios-55-settings',
    row: 'bios-55',
    cases: ['settings without a settings object: read-only, and an error that says so'],
    off: 'BIOS settings without a settings object are told to be read-only',
    edits: [
      edit(
        'activities/drivers/redfish/bios-look.ts',
        'if (standing.missing.length > 0 && found.settings === null) {',
        'if (standing.missing.length > 500 && found.settings === null) {',
      ),
    ],
  },
  {
    name: 'bios-55',
    row: 'bios-55',
    cases: ['a BIOS without a settings object: an error that says so'],
    off: 'a BIOS without a settings object is told',
    edits: [
      edit(
        'activities/drivers/redfish/tpm.ts',
        "  if (settings === null) throw unsupported('no settings object of its BIOS that could be written to');\n",
        '  if (settings === null) return { found: { ...found, settings: found.bios }, clear };\n',
      ),
    ],
  },
  {
    name: 'life-57',
    row: 'life-57',
    cases: [
      'the erase fails, and the machine restarts into its old system',
      'the firmware boots the old system instead of the agent',
      'somebody switches the node on while it is held',
    ],
    off: 'a node that failed is switched off',
    edits: [
      edit(
        'activities/drivers/redfish/settle.ts',
        "reached(await convergePower(bmc, system.uri, 'off'))],",
        'String(bmc.origin + system.uri)],',
      ),
    ],
  },
  {
    name: 'life-60',
    row: 'life-60',
    cases: ['the agent asks before its ports are known'],
    off: 'an agent without a port that is known is told to ask again',
    edits: [edit('workers/gateway/agent-routes.ts', 'node.ports.length === 0', 'node.ports.length >= 0')],
  },
  {
    name: 'task-32-firmware',
    row: 'task-32',
    cases: [
      'firmware: a task without Location, in arguments only, nowhere',
      'firmware: every task is nowhere: the effect is watched',
    ],
    off: 'an update without a task is looked for among the tasks, and by its effect',
    edits: [
      edit(
        FOLLOW,
        '    if (made !== undefined) entry = await note(updater, entry, { task: made.uri });\n',
        '',
      ),
      edit(FOLLOW, "state: 'untracked', standing: null", "state: 'failed', standing: null"),
    ],
  },
  {
    name: 'sess-41-firmware',
    row: 'sess-41',
    cases: ['firmware: the BMC comes back late from its own update'],
    off: 'a BMC that cannot be reached may come back',
    edits: [
      edit(
        ERRORS,
        "return fail('BMC_UNREACHABLE', `${where}: no connection (${code}).`",
        "return fail('BMC_REFUSED', `${where}: no connection (${code}).`",
      ),
      edit(
        ERRORS,
        "  return fail('BMC_CONNECTION_LOST', `${where}: the connection broke (${code}).`",
        "  return fail('BMC_REFUSED', `${where}: the connection broke (${code}).`",
      ),
    ],
  },
  {
    name: 'sess-41-update-twice',
    row: 'sess-41',
    cases: ['firmware: an answer that is lost: no second update'],
    off: 'an update that was asked for without an answer is looked for',
    edits: [
      edit(
        UPDATE,
        "  if (ours !== undefined) return void (await note(updater, entry, { stage: 'asked', task: ours.uri }));",
        '  if (tasks !== undefined) return forget(updater);',
      ),
    ],
  },
  {
    name: 'life-66-firmware',
    row: 'life-66',
    cases: ['firmware: the BIOS shows the new version once, then the old one'],
    off: 'a version counts when it reads so three times, and nothing is flashed twice',
    edits: [
      edit(FOLLOW, 'const GOOD_READS = 3;', 'const GOOD_READS = 1;'),
      edit(
        UPDATE,
        'if (broughtBy(updater).includes(wanted.component)) {',
        'if (broughtBy(updater).length > 99) {',
      ),
    ],
  },
  {
    name: 'life-64',
    row: 'life-64',
    cases: ['firmware: a second updater finds nothing to do, and that is success'],
    off: 'what shows its version is not touched',
    edits: [
      edit(
        UPDATE,
        '.find(({ standing }) => standing.differing.length > 0);',
        '.find(({ wanted }) => !broughtBy(updater).includes(wanted.component));',
      ),
    ],
  },
  {
    name: 'life-64-busy',
    row: 'life-64',
    cases: ['firmware: somebody else updates: nothing is started before that ends'],
    off: 'an update of somebody else is waited for',
    edits: [edit(UPDATE, 'if (busy !== undefined) {', 'if (busy === null) {')],
  },
  {
    name: 'task-34-pending',
    row: 'task-34',
    cases: ['firmware: completed, reboot pending'],
    off: 'a task that ends with a pending reboot needs one',
    edits: [
      edit(
        CORE_TASK,
        "state: texts.some((t) => REBOOT.test(t)) ? 'reboot-needed' : 'done'",
        "state: texts.some((t) => REBOOT.test(t)) ? 'done' : 'done'",
      ),
    ],
  },
  {
    name: 'vm-15-firmware',
    row: 'vm-15',
    cases: ['firmware: the BMC cannot fetch the file'],
    off: 'who could not fetch a firmware file is told apart from a file that does not fit',
    edits: [
      edit(
        FOLLOW,
        "    ...(fileNotFetched(standing.messages) ? { faultDomain: 'media-publisher' } : {}),",
        '    ...(fileNotFetched(standing.messages) ? {} : {}),',
      ),
    ],
  },
];
