/** The fault switches of the lab, as data: the documentation lists this table. */
export interface FaultSwitch {
  readonly name: string;
  /** `count`: how often it fires (`true` = always). `flag`: on until it is cleared. `milliseconds`: a duration. */
  readonly value: 'count' | 'flag' | 'milliseconds';
  readonly description: string;
  /** The row of the field reports that it plays: test/field/. */
  readonly report?: string;
}

/** The writes of a BMC that can go wrong in every way. */
export const WRITES = {
  reset: 'a power action',
  insertMedia: 'inserting virtual media',
  ejectMedia: 'ejecting virtual media',
  patchBoot: 'a change of the boot override',
  patchBios: 'a change of BIOS settings',
  simpleUpdate: 'a firmware update',
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

const count = (name: string, description: string, report?: string): FaultSwitch => ({
  name,
  value: 'count',
  description: report === undefined ? description : `${description} (${report})`,
  ...(report === undefined ? {} : { report }),
});

const flag = (name: string, description: string, report?: string): FaultSwitch => ({
  ...count(name, description, report),
  value: 'flag',
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
  count(
    'fetchFailsWithId',
    'the BMC cannot fetch the image: only the id of the message, RAC0904, says so',
    'vm-15',
  ),
  count('fetchFailsInText', 'the BMC cannot fetch the image: only a text says so', 'vm-15'),
  count('bootsDiskInstead', 'the firmware ignores the override and boots the disk', 'life-57'),
  count('agentSilent', 'the deploy agent starts and never calls'),
  count('agentDies', 'the deploy agent stops answering when it is told to write an image'),
  count('agentFailsWrite', 'writing the image fails half way: the disk has no usable image'),
  count(
    'wrongImageBytes',
    'the image arrives with wrong bytes: they are on the disk when the hash is found wrong',
  ),
  count(
    'agentPortsLate',
    'the deploy agent asks before its ports are up: without a MAC, with one that nobody knows, then with one port more at a time',
    'life-60',
  ),
  count(
    'eraseFailsReboots',
    'erasing a disk fails, and the machine restarts: its old system boots',
    'life-57',
  ),
  count('eraseFails', 'erasing a disk fails, and its old data stays'),
  count('firstBootSilent', 'the installed system boots and never reports'),
  count('insertNeedsProtocol', 'InsertMedia wants TransferProtocolType, named in MessageArgs only', 'vm-1'),
  count(
    'insertNeedsProtocolRelated',
    'InsertMedia wants TransferProtocolType, named in RelatedProperties',
    'vm-1',
  ),
  count('insertNeedsProtocolText', 'InsertMedia wants TransferProtocolType, named in the text only', 'vm-1'),
  count('insertAlwaysWantsProtocol', 'InsertMedia wants TransferProtocolType though it is given', 'vm-1'),
  count('insertNeedsCredentials', 'InsertMedia wants UserName and Password', 'vm-2'),
  flag('errorWithoutCode', 'errors have no code', 'vm-2'),
  count('insertWantsMinimalBody', 'InsertMedia refuses Inserted and WriteProtected', 'vm-4'),
  count('mediaStaysAfterEject', 'after an eject the old media is still shown, for this many reads', 'vm-6'),
  flag('mediaUrlStays', 'after an eject the old URL stays; Inserted is false', 'vm-6'),
  flag('mediaLooksInserted', 'after an eject the old URL and Inserted stay; ConnectedVia does not', 'vm-6'),
  count('ejectEmptyIsError', 'ejecting an empty drive is an error', 'vm-8'),
  flag('mediaOnlyUnderSystem', 'the manager has no virtual media', 'vm-10'),
  flag('mediaOnlyUnderManager', 'the system has no virtual media', 'vm-10'),
  count('systemMediaRefuses', 'the drives under the system answer InsertMedia with 404', 'vm-10'),
  flag('systemMediaDead', 'the drives under the system accept media, and never show any', 'vm-10'),
  count('insertShowsLate', 'inserted media is shown after this many reads only', 'vm-16'),
  count('insertIsTask', 'InsertMedia answers 202 with a task', 'vm-16'),
  count(
    'insertTaskFails',
    'the task of InsertMedia ends Completed, and Critical: nothing is inserted',
    'task-33',
  ),
  count('bootNeedsEtag', 'a change of the boot override wants If-Match', 'boot-19'),
  flag('patchNeedsEtag', 'every change by PATCH wants If-Match', 'boot-19'),
  count('bootRefusesMode', 'BootSourceOverrideMode is read-only', 'boot-21'),
  count('bootNeedsMode', 'a change of the boot override wants BootSourceOverrideMode', 'boot-21'),
  flag('bootHidesMode', 'BootSourceOverrideMode is not known', 'boot-21'),
  count('onceShowsContinuous', 'an override for one boot is shown as Continuous', 'boot-24'),
  flag('bootContinuousOnly', 'an override for one boot is not offered, and refused', 'boot-24'),
  count('bootInPost', 'the boot override cannot be changed now: UnableToModifyDuringSystemPOST', 'boot-25'),
  count('mediaInPost', 'media cannot be changed now: UnableToModifyDuringSystemPOST', 'boot-25'),
  count('resetInPost', 'a power action cannot be done now: InvalidOperationForSystemState', 'boot-25'),
  count('overrideStays', 'an override for one boot is still there after it', 'boot-24'),
  count('sameStateIsConflict', 'On when on and ForceOff when off are answered with 409', 'power-28'),
  count('sameStateIsBadRequest', 'On when on and ForceOff when off are answered with 400', 'power-28'),
  count(
    'powerShowsOpposite',
    'the other power state is shown, until a power action asks for the real one',
    'power-28',
  ),
  count('onAfterOffConflict', 'On is answered with 409', 'power-29'),
  count('sessionLimit', 'opening a session is answered with 503: too many', 'sess-38'),
  count('bmcBusy', 'any request is answered with 503', 'sess-41'),
  count('bmcBusyRetryAfter', 'any request is answered with 503 and Retry-After', 'sess-41'),
  count('sessionsForgotten', 'a session is answered with 401 in the middle of work', 'sess-44'),
  count('logoutRefused', 'closing a session is answered with 401', 'sess-44'),
  count('passwordWrong', 'the right password is refused as a wrong one', 'sess-47'),
  flag(
    'firstSlotDead',
    'the first optical drive has no InsertMedia; there is a second one, for DVD',
    'vm-12',
  ),
  count(
    'firstSlotRefuses',
    'the first optical drive answers InsertMedia with 405; there is a second one',
    'vm-12',
  ),
  flag('noSlotInserts', 'no drive has InsertMedia, and none can be written to', 'vm-12'),
  flag('mediaByPatch', 'media are inserted by PATCH of the drive; Inserted is not shown', 'vm-14'),
  flag(
    'bootOnlyOnSettings',
    'the boot override is read-only on the system, and written to its settings',
    'boot-17',
  ),
  flag('settingsHaveOrderOnly', 'the settings object of the system has BootOrder only', 'boot-18'),
  count('equalModeQueuesJob', 'writing the boot mode that is set already blocks the next write', 'boot-22'),
  count('bootJobPending', 'a change of the boot override is refused: a job is pending', 'boot-22'),
  count('overrideFlips', 'the boot override reads right once, and is gone afterwards', 'life-66'),
  flag('resetValuesGlued', 'two of the allowable values of Reset are glued together', 'power-30'),
  count('restartRefused', 'ForceRestart and GracefulRestart are refused', 'power-30'),
  count('gracefulRefused', 'GracefulShutdown is refused', 'power-30'),
  count('gracefulIgnored', 'GracefulShutdown is accepted, and the system goes on', 'power-30'),
  flag('resetValuesLack', 'the allowable values of Reset lack On and ForceOff, which work', 'power-30'),
  count('taskWithoutLocation', 'a task is answered without Location', 'task-32'),
  count('taskOnlyInArgs', 'where a task is stands in the arguments of a message only', 'task-32'),
  count('taskNowhere', 'where a task is stands nowhere', 'task-32'),
  flag('taskStateUnknown', 'a task that runs has a state that is in no standard', 'task-34'),
  count('taskMonitorNoContent', 'the monitor of a finished task answers 204', 'task-36'),
  count('taskMonitorRedirects', 'the monitor of a finished task answers 303', 'task-36'),
  count(
    'taskLocationAbsolute',
    'the Location of a task is absolute, with a name that only the BMC knows, and has a query',
    'task-37',
  ),
  count('taskLocationRelative', 'the Location of a task is relative and has a query', 'task-37'),
  flag('passwordChangeRequired', 'everything but the account is answered with 403', 'sess-46'),
  flag('fieldsMissing', 'required fields and links are missing', 'shape-49'),
  flag('numbersAreText', 'numbers are shown as N/A', 'shape-50'),
  flag('errorInfoIsObject', '@Message.ExtendedInfo is an object, not a list', 'shape-50'),
  flag(
    'accountsForbidden',
    'accounts and host interfaces are answered with 403: the account may not read them',
  ),
  count('accountsFail', 'reading accounts is answered with 500'),
  flag('bootForbidden', 'secure boot and boot options are answered with 403: the account may not read them'),
  count('bootOptionsFail', 'reading secure boot or boot options is answered with 500'),
  flag('foreignAccount', 'the tenant left an account of its own on the BMC, as an administrator'),
  flag('hostInterfaceEnabled', 'the host can reach its BMC'),
  flag('foreignBootOption', "the tenant's system left a boot option, first in the boot order"),
  flag('noTpm', 'there is no TPM in the server'),
  flag('tpmAttributeUnknown', 'no BIOS attribute clears the TPM'),
  count('tpmClearIgnored', 'the firmware does not clear the TPM at a reset: the setting goes on waiting'),
  count('tpmClearRefused', 'the firmware drops the clear of the TPM at a reset, with a message'),
  flag(
    'biosTakesSettings',
    'what is to be pending is written to the BIOS itself: its settings are read-only',
  ),
  flag(
    'biosJobOnPatch',
    'a write of BIOS settings makes a job: until a reset ends it, a second write or job is refused with 400',
    'bios-52',
  ),
  flag(
    'biosNeedsJob',
    'BIOS settings know no apply time, and nothing is applied without a job that is made by a request of its own',
  ),
  count(
    'biosEqualNoJob',
    'a write of BIOS settings that are set already is answered 200, without a job',
    'bios-53',
  ),
  count('biosJobFails', 'the job that applies BIOS settings fails, and they are dropped'),
  count('biosClamps', 'the firmware makes other values of the BIOS settings at a reset'),
  count('biosRefuses', 'the firmware drops one BIOS setting at a reset, with a message'),
  count('biosFlips', 'BIOS settings read right once after a reset, and as before then', 'life-66'),
  count('biosInPost', 'BIOS settings cannot be written now: UnableToModifyDuringSystemPOST', 'boot-25'),
  flag('biosReadOnly', 'the BIOS has settings without a settings object', 'bios-55'),
  count('updateFails', 'the task of a firmware update ends Completed, and Critical', 'task-33'),
  count('updateFetchFails', 'the BMC cannot fetch the firmware'),
  count('updateRebootPending', 'the task of a firmware update ends with: a reboot is pending', 'task-34'),
  count('updateScheduled', 'the task of a firmware update waits for the reset of the host', 'task-34'),
  flag('updateBusy', 'somebody else updates firmware', 'life-64'),
  count('updateRefusesProtocol', 'SimpleUpdate refuses TransferProtocol'),
  count('updateRefusesTargets', 'SimpleUpdate refuses Targets'),
  flag('noSimpleUpdate', 'the update service has no SimpleUpdate'),
  count(
    'firmwareFlips',
    'after an update the BIOS shows its new version once, then the old one for a while, then the new one',
    'life-66',
  ),
  count('nicRenamedAfterUpdate', "an update of the NIC's firmware renames the last interface"),
  count('nicGoneAfterUpdate', "after an update of the NIC's firmware the last interface is gone"),
  count('bmcSlowToReturn', 'the BMC takes twelve times as long to come back after a restart', 'sess-41'),
  flag(
    'agentForeignMacs',
    'the deploy agent knows itself by MACs that the contract does not have',
    'life-60',
  ),
  flag('gpuMissing', 'one GPU has fallen off the bus: neither BMC, agent nor guest sees it'),
  flag('nicMissing', 'one NIC came back in another mode: nobody sees it'),
  flag('nicRenamed', 'after a reset of its firmware the first NIC has another name'),
  flag('diskSmaller', 'the last disk has half of its size: BMC, agent and guest see it so'),
  flag('mountMissing', 'the installed system comes up without its scratch disk mounted'),
  flag('cableInWrongPort', 'the cable of the first NIC is in another port of its switch'),
  flag('noLink', 'the last NIC has no link: its cable is not plugged in'),
  flag('noLldp', 'the switches send no LLDP'),
  flag('bmcHidesLldp', 'the BMC shows nothing of the LLDP that the ports receive'),
  count('nicWithoutMac', 'the first interface is shown without its MAC address', 'shape-43'),
];
