import type { Server, ResetType } from '../server.ts';
import { MediaError } from '../media.ts';
import { redactUrl } from '../redact.ts';
import { SLOTS, type Override, type Slot } from '../state.ts';
import { noContent, problem, type Answer } from './messages.ts';
import { insertRefusal } from './insert-refusals.ts';
import { task } from './tasks.ts';
import { BOOT_TARGETS, RESET_TYPES } from './system.ts';

/** What the writes of a BMC do, once they are allowed in and no fault stood in their way. */

type Body = Readonly<Record<string, unknown>>;

const MODES = ['UEFI', 'Legacy'] as const;
const ENABLED = ['Disabled', 'Once', 'Continuous'] as const;

export function reset(server: Server, body: Body): Answer {
  const type = body['ResetType'];
  if (type === undefined)
    return problem(400, 'ActionParameterMissing', ['ComputerSystem.Reset', 'ResetType']);
  if (!(RESET_TYPES as readonly unknown[]).includes(type))
    return problem(400, 'ActionParameterValueNotInList', [String(type), 'ResetType', 'ComputerSystem.Reset']);
  const restart = type === 'ForceRestart' || type === 'GracefulRestart';
  if (restart && server.faults.take('restartRefused'))
    return problem(400, 'ActionParameterNotSupported', [String(type), 'ComputerSystem.Reset']);
  const { power } = server.state;
  if (server.faults.take('resetInPost')) return problem(400, 'InvalidOperationForSystemState');
  if (type === 'GracefulShutdown' && server.faults.take('gracefulRefused'))
    return problem(400, 'ActionParameterNotSupported', [type, 'ComputerSystem.Reset']);
  if (type === 'GracefulShutdown' && server.faults.take('gracefulIgnored')) return noContent;
  const same = (type === 'On' && power === 'On') || (type === 'ForceOff' && power === 'Off');
  if (same) server.faults.take('powerShowsOpposite');
  if (same && server.faults.take('sameStateIsBadRequest')) return problem(400, 'GeneralError');
  if (same && server.faults.take('sameStateIsConflict')) return problem(409, 'ResourceInUse');
  if (type === 'On' && server.faults.take('onAfterOffConflict')) return problem(409, 'ResourceInUse');
  server.reset(type as ResetType);
  return noContent;
}

/** `url` is that of the action, or of the drive where it is patched. */
export async function insertMedia(server: Server, slot: Slot, body: Body, url: string): Promise<Answer> {
  const image = body['Image'];
  if (typeof image !== 'string')
    return problem(400, 'ActionParameterMissing', ['VirtualMedia.InsertMedia', 'Image']);
  const refused = insertRefusal(server, slot, body, url);
  if (refused !== undefined) return refused;
  if (server.state.media[slot]?.inserted) return problem(409, 'ResourceInUse');
  if (server.faults.take('insertTaskFails')) return task(server, true, url);
  try {
    await server.insert(slot, image, body['TransferMethod'] === 'Upload' ? 'Upload' : 'Stream');
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    return problem(400, 'VirtualMediaNotFetched', [redactUrl(image), error.message]);
  }
  return server.faults.take('insertIsTask') ? task(server, false, url) : noContent;
}

export function ejectMedia(server: Server, slot: Slot): Answer {
  if (server.faults.take('mediaInPost')) return problem(400, 'UnableToModifyDuringSystemPOST');
  if (!server.state.media[slot]?.inserted) {
    return server.faults.take('ejectEmptyIsError') ? problem(400, 'NoMediaInserted') : noContent;
  }
  server.eject(slot);
  return noContent;
}

/** Inserts and ejects where the drive is written to, and has no actions. */
export function patchMedia(server: Server, slot: Slot, body: Body, url: string): Answer | Promise<Answer> {
  if (!server.faults.on('mediaByPatch')) return problem(405, 'OperationNotAllowed');
  return body['Image'] === null || body['Inserted'] === false
    ? ejectMedia(server, slot)
    : insertMedia(server, slot, body, url);
}

/** Changes the boot override, where it can be changed: on the system, or on its settings object. */
export function patchBoot(server: Server, body: Body, where: 'system' | 'settings'): Answer {
  const onSettings = server.faults.on('bootOnlyOnSettings');
  if (where === 'system' && onSettings) return problem(400, 'PropertyNotWritable', ['#/Boot']);
  if (where === 'settings' && !onSettings)
    return problem(400, 'PropertyUnknown', ['BootSourceOverrideEnabled']);
  if (server.faults.take('bootJobPending')) return problem(400, 'ResourceInUse');
  const { mode } = server.state.override;
  const equal = (body['Boot'] as Body | undefined)?.['BootSourceOverrideMode'] === mode;
  const answer = patchSystem(server, body);
  if (equal && answer.status < 300 && server.faults.take('equalModeQueuesJob'))
    server.faults.set({ ...server.faults.values(), bootJobPending: 1 });
  return answer;
}

function patchSystem(server: Server, body: Body): Answer {
  const unknown = Object.keys(body).find((name) => name !== 'Boot');
  if (unknown !== undefined) return problem(400, 'PropertyNotWritable', [unknown]);
  const boot = body['Boot'];
  if (typeof boot !== 'object' || boot === null) return problem(400, 'PropertyMissing', ['Boot']);
  const mode = 'BootSourceOverrideMode';
  if (!(mode in boot) && server.faults.take('bootNeedsMode')) return problem(400, 'PropertyMissing', [mode]);
  if (mode in boot && server.faults.on('bootHidesMode')) return problem(400, 'PropertyUnknown', [mode]);
  const enabled = (boot as Body)['BootSourceOverrideEnabled'];
  if (enabled === 'Once' && server.faults.on('bootContinuousOnly'))
    return problem(400, 'PropertyValueNotInList', ['Once', 'BootSourceOverrideEnabled']);
  if (server.faults.take('bootInPost')) return problem(400, 'UnableToModifyDuringSystemPOST');
  const part: Partial<Override> = {};
  for (const [name, value] of Object.entries(boot)) {
    const values: Record<string, readonly string[]> = {
      BootSourceOverrideEnabled: ENABLED,
      BootSourceOverrideTarget: BOOT_TARGETS,
      BootSourceOverrideMode: MODES,
    };
    if (values[name] === undefined) return problem(400, 'PropertyUnknown', [name]);
    if (name === 'BootSourceOverrideMode' && server.faults.take('bootRefusesMode'))
      return problem(400, 'PropertyNotWritable', [name]);
    if (!values[name].includes(String(value)))
      return problem(400, 'PropertyValueNotInList', [String(value), name]);
    const field =
      { BootSourceOverrideEnabled: 'enabled', BootSourceOverrideTarget: 'target' }[name] ?? 'mode';
    Object.assign(part, { [field]: value });
  }
  server.setOverride(part);
  return noContent;
}

export function patchSecureBoot(server: Server, body: Body): Answer {
  const enable = body['SecureBootEnable'];
  if (typeof enable !== 'boolean') return problem(400, 'PropertyMissing', ['SecureBootEnable']);
  server.change({ secureBoot: enable });
  server.log.append('secure-boot', { enable });
  return noContent;
}

export function patchAccount(server: Server, body: Body): Answer {
  const password = body['Password'];
  if (typeof password !== 'string' || password.length < 12)
    return problem(400, 'PropertyValueTypeError', ['[redacted]', 'Password']);
  server.change({ account: { ...server.state.account, password }, sessions: [] });
  server.log.append('password-changed');
  return noContent;
}

export const isSlot = (name: string): name is Slot => name in SLOTS;
