import { expect, it } from 'vitest';
import {
  readUpdateService,
  requireSimpleUpdate,
  startUpdate,
} from '../../../../activities/redfish/update-service.ts';
import { isActiveTask, isUpdateTask, updateStanding } from '../../../../core/redfish/firmware-task.ts';
import { readTask, taskLocation } from '../../../../core/redfish/task.ts';
import { served } from './inspecting.ts';
import { allBodies, describeCaptures } from './payloads.ts';
import { findSystem } from '../../../../activities/redfish/service.ts';

const body = (name: string): Record<string, unknown> =>
  allBodies().find((each) => each.name === `redfish-captures/${name}`)!.body as Record<string, unknown>;

describeCaptures('updates as real BMCs tell of them', () => {
  // A real BMC says 100 percent from the beginning.
  it.each([
    ['completed', 'done', false],
    ['failed', 'failed', false],
    ['pending', 'running', true],
    ['running', 'running', true],
    ['scheduled', 'running', true],
    ['starting', 'running', true],
    ['unknown', 'running', true],
  ] as const)('a task that is %s', (name, state, active) => {
    const task = body(`tasks/tasks_1_${name}.json`);
    expect(readTask(200, task)).toMatchObject({ state, percent: 100 });
    expect([isActiveTask(task), isUpdateTask(task)]).toEqual([active, true]);
  });

  it('one that waits without a word why waits for a reset after a while', () => {
    const pending = readTask(200, body('tasks/tasks_1_pending.json'));
    expect(updateStanding(pending, 60_000)).toBe('running');
    expect(updateStanding(pending, 120_000)).toBe('reboot-needed');
    expect(updateStanding(readTask(200, body('tasks/tasks_1_unknown.json')), 120_000)).toBe('running');
  });

  it('a 202 without Location has its task in the arguments, which its text contradicts', () => {
    expect(taskLocation(undefined, body('updateservice/updateservice_ok_response.json'))).toBe(
      '/redfish/v1/TaskService/Tasks/1234',
    );
    expect(taskLocation(undefined, body('updateservice/updateservice_unexpected_response.json'))).toBeNull();
  });

  const service = async (name: string) => {
    const path = '/redfish/v1/UpdateService';
    const system = '/redfish/v1/Systems/1';
    const link = (to: string): object => ({ '@odata.id': to });
    const tree = new Map<string, unknown>([
      [
        '/redfish/v1',
        { RedfishVersion: '1.9.0', Systems: link('/redfish/v1/Systems'), UpdateService: link(path) },
      ],
      ['/redfish/v1/Systems', { Members: [link(system)] }],
      [system, { ...link(system), Id: '1' }],
      [path, body(`updateservice/${name}.json`)],
    ]);
    const { bmc } = await served(tree as never, '404', 'basic');
    return { bmc, service: await readUpdateService(bmc, await findSystem(bmc)) };
  };

  it('a service that is disabled, or takes pushed files only, is not asked for anything', async () => {
    for (const name of ['updateservice_disabled', 'updateservice_with_httppushuri']) {
      const { bmc, service: found } = await service(name);
      expect(found.inventory).toBe('/redfish/v1/UpdateService/FirmwareInventory');
      expect(() => requireSimpleUpdate(bmc, found)).toThrow(/does not offer SimpleUpdate/);
    }
  });

  it('one that lists protocols is asked by one of them only', async () => {
    const { bmc, service: found } = await service('updateservice_with_multipart');
    expect(requireSimpleUpdate(bmc, found)).toBe(
      '/redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate',
    );
    const asked = { image: 'ftp://127.0.0.1/bios.bin', targets: [], applyTime: 'OnReset' } as const;
    await expect(startUpdate(bmc, found, asked)).rejects.toThrow(
      /fetches firmware by HTTP, NFS, CIFS, TFTP, HTTPS, not by FTP/,
    );
  });
});
