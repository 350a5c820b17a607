import { BIOS_ATTRIBUTES } from '../bios-attributes.ts';
import { biosJob } from '../bios.ts';
import type { Server } from '../server.ts';
import { problem, type Answer } from './messages.ts';
import { ROOT } from './services.ts';

type Body = Readonly<Record<string, unknown>>;

export const BIOS_SETTINGS = `${ROOT}/Systems/1/Bios/Settings`;
/** What waits for the job to be done, for ever: the reset ends it. */
const NOT_DUE = Number.MAX_SAFE_INTEGER;

/** Keeps BIOS settings for the next reset, where they can be written: on the settings object, or on the BIOS. */
export function patchBios(server: Server, body: Body, where: 'bios' | 'settings'): Answer {
  const { faults } = server;
  if ((where === 'bios') !== faults.on('biosTakesSettings')) return problem(405, 'OperationNotAllowed');
  if (faults.take('biosInPost')) return problem(400, 'UnableToModifyDuringSystemPOST');
  if (biosJob(server) !== undefined) return problem(400, 'ConfigurationCommitted');
  const time = (body['@Redfish.SettingsApplyTime'] as Body | undefined)?.['ApplyTime'];
  if (time !== undefined && faults.on('biosNeedsJob'))
    return problem(400, 'PropertyUnknown', ['@Redfish.SettingsApplyTime']);
  if (time !== undefined && time !== 'OnReset')
    return problem(400, 'PropertyValueNotInList', [String(time), 'ApplyTime']);
  const attributes = body['Attributes'];
  if (typeof attributes !== 'object' || attributes === null)
    return problem(400, 'PropertyMissing', ['Attributes']);
  const { bios, pendingBios } = server.state;
  const all = { ...bios, ...pendingBios, ...(attributes as typeof bios) };
  for (const [name, value] of Object.entries(attributes)) {
    const refused = refusal(name, value, all);
    if (refused !== undefined) return refused;
  }
  const wanted = Object.entries({ ...pendingBios, ...attributes } as typeof bios);
  const pending = Object.fromEntries(wanted.filter(([name, value]) => bios[name] !== value));
  const names = Object.keys(pending);
  server.change({ pendingBios: names.length === 0 ? null : pending });
  if (names.length > 0) server.log.append('bios-pending', { attributes: names });
  const equal = names.length === 0 && faults.take('biosEqualNoJob');
  if (time !== undefined && !equal && faults.on('biosJobOnPatch')) return makeJob(server);
  return { status: 200, body: { '@Message.ExtendedInfo': [] } };
}

/** Why the BIOS does not take a value of an attribute; undefined if it does. */
function refusal(name: string, value: unknown, all: Body): Answer | undefined {
  const attribute = BIOS_ATTRIBUTES[name];
  if (attribute === undefined || !(name in all)) return problem(400, 'PropertyUnknown', [name]);
  const { type, values, lower = 0, upper = 0, maxLength = 0, onlyWith } = attribute;
  const locked = onlyWith !== undefined && all[onlyWith[0]] !== onlyWith[1];
  if (attribute.readOnly || locked) return problem(400, 'PropertyNotWritable', [name]);
  if (typeof value !== (type === 'Integer' ? 'number' : 'string'))
    return problem(400, 'PropertyValueTypeError', [String(value), name]);
  if (values !== undefined && !values.includes(String(value)))
    return problem(400, 'PropertyValueNotInList', [String(value), name]);
  const outOfRange =
    type === 'Integer'
      ? Number(value) < lower || Number(value) > upper
      : maxLength > 0 && String(value).length > maxLength;
  return outOfRange ? problem(400, 'PropertyValueOutOfRange', [String(value), name]) : undefined;
}

/** Makes the job that applies what is pending, by its own request: where jobs are made like that. */
export function postJob(server: Server, body: Body): Answer {
  if (!server.faults.on('biosNeedsJob') && !server.faults.on('biosJobOnPatch'))
    return problem(404, 'ResourceNotFound', ['JobCollection', 'Jobs']);
  if (body['TargetSettingsURI'] !== BIOS_SETTINGS)
    return problem(400, 'PropertyValueNotInList', [String(body['TargetSettingsURI']), 'TargetSettingsURI']);
  if (biosJob(server) !== undefined) return problem(400, 'ConfigurationCommitted');
  if (server.state.pendingBios === null) return problem(400, 'PropertyMissing', ['Attributes']);
  return makeJob(server);
}

function makeJob(server: Server): Answer {
  const { nextId, tasks } = server.state;
  const id = String(nextId);
  const job = { id, name: 'Configure: BIOS', startedAt: Date.now(), dueAt: NOT_DUE, failed: false };
  server.change({
    nextId: nextId + 1,
    tasks: [...tasks.slice(-19), { ...job, settings: BIOS_SETTINGS }],
  });
  server.log.append('bios-job', { id });
  return { status: 202, headers: { location: `${ROOT}/TaskService/Tasks/${id}` } };
}
