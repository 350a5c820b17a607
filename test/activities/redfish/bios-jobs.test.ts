import { describe, expect, it } from 'vitest';
import { activeBiosJob, makeBiosJob } from '../../../activities/redfish/bios-jobs.ts';
import { findSystem } from '../../../activities/redfish/service.ts';
import type { Bmc } from '../../../activities/redfish/transport.ts';
import { failureOf, opened } from './fixtures.ts';
import { redfishError, SYSTEM, type ScriptedBmc } from './scripted-bmc.ts';

const SETTINGS = `${SYSTEM}/Bios/Settings`;
const MANAGER = '/redfish/v1/Managers/1';
const JOBS = `${MANAGER}/Oem/Dell/Jobs`;
const JOB = `${JOBS}/JID_2`;
const link = (uri: string) => ({ '@odata.id': uri });

/** A BMC with jobs of its own maker: one that ended, one of firmware, and those of the test. */
async function withJobs<T>(
  work: (parts: { server: ScriptedBmc; bmc: Bmc; ask: typeof ask }) => Promise<T>,
  jobs: { readonly [uri: string]: Record<string, unknown> } = {},
): Promise<T> {
  const { server, bmc } = await opened();
  server.put(MANAGER, { Links: { Oem: { Dell: { Jobs: link(JOBS) } } } });
  const all = {
    [`${JOBS}/JID_0`]: { JobType: 'BIOSConfiguration', JobState: 'Completed' },
    [`${JOBS}/JID_1`]: { JobType: 'FirmwareUpdate', Name: 'Firmware Update: BIOS', JobState: 'Scheduled' },
    ...jobs,
  };
  for (const [uri, body] of Object.entries(all)) server.put(uri, body);
  server.collect(JOBS, Object.keys(all));
  try {
    return await work({ server, bmc, ask });
  } finally {
    bmc.close();
  }
}
const ask = async (bmc: Bmc): Promise<string | null> => activeBiosJob(bmc, await findSystem(bmc), SETTINGS);
const make = async (bmc: Bmc): Promise<string | null> => makeBiosJob(bmc, await findSystem(bmc), SETTINGS);
const COMMITTED = redfishError(
  'SYS011',
  'Pending configuration values are already committed, unable to perform another set operation.',
);
const SCHEDULED = { [JOB]: { JobType: 'BIOSConfiguration', JobState: 'Scheduled' } };

describe('the job that applies BIOS settings', () => {
  it('is the one of the BIOS that is still to be done', async () => {
    expect(await withJobs(({ bmc }) => ask(bmc))).toBeNull();
    expect(await withJobs(({ bmc }) => ask(bmc), SCHEDULED)).toBe(JOB);
  });

  it('may be a task, known by what it was made for', async () => {
    const task = '/redfish/v1/TaskService/Tasks/7';
    const found = await withJobs(({ server, bmc }) => {
      server.patch('/redfish/v1', { Tasks: link('/redfish/v1/TaskService') });
      server.put('/redfish/v1/TaskService', { Tasks: link('/redfish/v1/TaskService/Tasks') });
      server.collect('/redfish/v1/TaskService/Tasks', [task]);
      server.put(task, { TaskState: 'Pending', Payload: { TargetUri: SETTINGS } });
      return ask(bmc);
    });
    expect(found).toBe(task);
  });

  it('is looked for at both ends of a long queue, and not in all of it', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [
        `${JOBS}/OLD_${i}`,
        { JobType: 'Other', JobState: 'Completed' },
      ]),
    );
    await withJobs(
      async ({ server, bmc }) => {
        expect(await ask(bmc)).toBe(JOB);
        expect(server.asked('GET', /OLD_/).length).toBeLessThan(32);
      },
      { ...many, ...SCHEDULED },
    );
  });

  it('is made by a request where the BMC has such', async () => {
    await withJobs(async ({ server, bmc }) => {
      server.on('POST', JOBS, () => ({ status: 200, headers: { location: JOB } }));
      expect(await make(bmc)).toBe(JOB);
      expect(server.asked('POST', JOBS).map(({ body }) => body)).toEqual([{ TargetSettingsURI: SETTINGS }]);
    });
  });

  it('bios-52: a 400 that says that there is one: that one is taken', async () => {
    const refusing = (jobs: typeof SCHEDULED | undefined) =>
      withJobs(({ server, bmc }) => {
        server.on('POST', JOBS, () => ({ status: 400, body: COMMITTED }));
        return make(bmc);
      }, jobs);
    expect(await refusing(SCHEDULED)).toBe(JOB);
    // It says so, and shows none: the settings wait, and the reset tells.
    expect(await refusing(undefined)).toBeNull();
  });

  it('that is refused for another reason is a failure', async () => {
    await withJobs(async ({ server, bmc }) => {
      server.on('POST', JOBS, () => ({
        status: 400,
        body: redfishError('PropertyUnknown', 'No such property.'),
      }));
      expect(await failureOf(make(bmc))).toMatchObject({ code: 'BMC_REFUSED' });
    });
  });

  it('is none where the BMC has no such jobs', async () => {
    const { server, bmc } = await opened();
    expect(await make(bmc)).toBeNull();
    expect(server.asked('POST', /Jobs/)).toEqual([]);
    bmc.close();
  });
});
