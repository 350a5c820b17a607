import { runUpdate } from '../firmware.ts';
import { redactUrl } from '../redact.ts';
import type { Server } from '../server.ts';
import { problem, type Answer } from './messages.ts';
import { addTask, started } from './tasks.ts';
import { collection, link, OK, resource, ROOT, type Tree } from './services.ts';

const SERVICE = `${ROOT}/UpdateService`;
const INVENTORY = `${SERVICE}/FirmwareInventory`;
export const SIMPLE_UPDATE = `${SERVICE}/Actions/UpdateService.SimpleUpdate`;
const ACTION = 'UpdateService.SimpleUpdate';
const PROTOCOLS = ['HTTP', 'HTTPS'];
const APPLY_TIMES = ['Immediate', 'OnReset'];

/** The update service and what firmware there is. */
export function updateTree(server: Server): Tree {
  const { state, hardware, faults } = server;
  return {
    [SERVICE]: () =>
      resource(SERVICE, 'UpdateService.v1_12_0.UpdateService', 'Update Service', {
        ServiceEnabled: true,
        Status: OK,
        FirmwareInventory: link(INVENTORY),
        ...(faults.on('noSimpleUpdate')
          ? {}
          : {
              Actions: {
                '#UpdateService.SimpleUpdate': {
                  target: SIMPLE_UPDATE,
                  'TransferProtocol@Redfish.AllowableValues': PROTOCOLS,
                  'Targets@Redfish.AllowableValues': Object.keys(state.firmware).map(
                    (id) => `${INVENTORY}/${id}`,
                  ),
                  '@Redfish.OperationApplyTimeSupport': {
                    '@odata.type': '#Settings.v1_3_5.OperationApplyTimeSupport',
                    SupportedValues: APPLY_TIMES,
                  },
                },
              },
            }),
      }),
    [INVENTORY]: () => collection(INVENTORY, 'SoftwareInventory', Object.keys(state.firmware)),
    ...Object.fromEntries(
      Object.entries(state.firmware).map(([id, version]) => [
        `${INVENTORY}/${id}`,
        () =>
          resource(`${INVENTORY}/${id}`, 'SoftwareInventory.v1_9_0.SoftwareInventory', id, {
            Version: version,
            SoftwareId: id.toLowerCase(),
            Manufacturer: hardware.manufacturer,
            Updateable: true,
            Status: OK,
          }),
      ]),
    ),
  };
}

/** Starts an update; `url` is that of the action. */
export function simpleUpdate(server: Server, body: Readonly<Record<string, unknown>>, url: string): Answer {
  const { faults, state } = server;
  if (faults.on('noSimpleUpdate')) return problem(404, 'ResourceNotFound', ['Action', ACTION]);
  const known = ['ImageURI', 'TransferProtocol', 'Targets', '@Redfish.OperationApplyTime'];
  const unknown = Object.keys(body).find((name) => !known.includes(name));
  if (unknown !== undefined) return problem(400, 'ActionParameterUnknown', [ACTION, unknown]);
  const image = body['ImageURI'];
  if (typeof image !== 'string') return problem(400, 'ActionParameterMissing', [ACTION, 'ImageURI']);
  for (const [name, values] of [
    ['TransferProtocol', PROTOCOLS],
    ['@Redfish.OperationApplyTime', APPLY_TIMES],
  ] as const) {
    const value = body[name];
    if (value !== undefined && !values.includes(String(value)))
      return problem(400, 'ActionParameterValueNotInList', [String(value), name, ACTION]);
  }
  if ('TransferProtocol' in body && faults.take('updateRefusesProtocol'))
    return problem(400, 'ActionParameterNotSupported', ['TransferProtocol', ACTION]);
  if ('Targets' in body && faults.take('updateRefusesTargets'))
    return problem(400, 'ActionParameterNotSupported', ['Targets', ACTION]);
  const running = state.tasks.some(({ update }) => update && !update.ended && !update.scheduled);
  if (running || faults.on('updateBusy')) return problem(409, 'ResourceInUse');
  const task = addTask(server, 'Firmware update', url, { image, ended: false });
  server.log.append('update-started', { task: task.id, image: redactUrl(image) });
  runUpdate(server, task.id);
  return started(server, task, url);
}
