import { describe, expect, it } from 'vitest';
import { listMedia } from '../../../activities/redfish/media-drives.ts';
import { convergeMedia, convergeNoMedia } from '../../../activities/redfish/media.ts';
import { failureOf } from './fixtures.ts';
import { ISO, OLD, FOREIGN, INSERT, EJECT, quick, DVD, start, withDvd, bodies } from './media-fixtures.ts';
import { CD, redfishError } from './scripted-bmc.ts';

describe('insert', () => {
  it('sends the image and no more, and nothing when it is there', async () => {
    const { server, bmc, system } = await start();
    expect(await convergeMedia(bmc, system, ISO, quick)).toMatchObject({ state: 'reached', changed: true });
    expect(await convergeMedia(bmc, system, ISO, quick)).toMatchObject({ state: 'reached', changed: false });
    expect(bodies(server)).toEqual([{ Image: ISO }]);
  });

  it.each([
    [
      'in its arguments',
      redfishError('ActionParameterMissing', 'x', { MessageArgs: ['InsertMedia', 'TransferProtocolType'] }),
    ],
    [
      'in related properties',
      redfishError('PropertyMissing', 'x', { RelatedProperties: ['#/TransferProtocolType'] }),
    ],
    ['only in text', { error: { message: 'The property TransferProtocolType is a required property.' } }],
    [
      'in an object instead of a list',
      { error: { '@Message.ExtendedInfo': { Message: 'TransferProtocolType missing' } } },
    ],
  ])('vm-1: adds the parameter that an error names %s, and remembers it', async (_name, body) => {
    const { server, bmc, system } = await start();
    server.on('POST', INSERT, (call) => {
      const sent = call.body as Record<string, string>;
      if (sent['TransferProtocolType'] !== 'HTTPS') return { status: 400, body };
      server.insert(CD, sent['Image']!);
      return { status: 204 };
    });
    expect(await convergeMedia(bmc, system, ISO, quick)).toMatchObject({ state: 'reached' });
    await convergeNoMedia(bmc, system, quick);
    expect(await convergeMedia(bmc, system, OLD, quick)).toMatchObject({ state: 'reached' });
    expect(bodies(server)).toHaveLength(3);
  });

  it('vm-1: gives up when the parameter does not help', async () => {
    const { server, bmc, system } = await start();
    server.on('POST', INSERT, () => ({
      status: 400,
      body: redfishError('ActionParameterMissing', 'x', { MessageArgs: ['TransferProtocolType'] }),
    }));
    expect((await failureOf(convergeMedia(bmc, system, ISO, quick))).code).toBe('MEDIA_REFUSED');
    expect(bodies(server)).toHaveLength(2);
  });

  it.each([
    [undefined, { UserName: 'none', Password: 'none' }],
    [
      { username: 'img', password: 'pw' },
      { UserName: 'img', Password: 'pw' },
    ],
  ])('vm-2: sends credentials of the image, or dummies, never its own', async (credentials, expected) => {
    const { server, bmc, system } = await start();
    server.on('POST', INSERT, (call) => {
      const sent = call.body as Record<string, string>;
      if (sent['UserName'] === undefined)
        return { status: 400, body: { error: { message: 'UserName and Password are required' } } };
      server.insert(CD, sent['Image']!);
      return { status: 204 };
    });
    const options = credentials === undefined ? quick : { ...quick, credentials };
    await convergeMedia(bmc, system, ISO, options);
    expect(bodies(server).at(-1)).toEqual({ Image: ISO, ...expected });
  });

  it('does not repeat what the BMC quotes of the credentials and of the path', async () => {
    const { server, bmc, system } = await start();
    server.on('POST', INSERT, () => ({
      status: 400,
      body: redfishError('X', 'Bad: img, s3cret, /media/tok-2/deploy.iso'),
    }));
    const credentials = { username: 'img', password: 's3cret' };
    const failure = await failureOf(convergeMedia(bmc, system, ISO, { ...quick, credentials }));
    expect(failure.code).toBe('MEDIA_REFUSED');
    expect(JSON.stringify(failure)).not.toMatch(/s3cret|tok-2/);
  });

  it('vm-6: an equal URL that is not inserted is inserted', async () => {
    const { server, bmc, system } = await start();
    server.patch(CD, { Image: ISO, Inserted: false });
    expect(await convergeMedia(bmc, system, ISO, quick)).toMatchObject({ state: 'reached', changed: true });
    expect(bodies(server)).toHaveLength(1);
  });

  it('vm-6: an equal URL that is inserted but not connected is ejected and inserted', async () => {
    const { server, bmc, system } = await start();
    server.patch(CD, { Image: ISO, Inserted: true, ConnectedVia: 'NotConnected' });
    expect(await convergeMedia(bmc, system, ISO, quick)).toMatchObject({ state: 'reached', changed: true });
    expect(
      server
        .asked('POST')
        .slice(1)
        .map((c) => c.path),
    ).toEqual([EJECT, INSERT]);
  });

  it('replaces an older image of ours', async () => {
    const { server, bmc, system } = await start();
    server.insert(CD, OLD);
    expect(await convergeMedia(bmc, system, ISO, quick)).toMatchObject({ state: 'reached' });
    expect(server.resources.get(CD)).toMatchObject({ Image: ISO });
  });

  it("leaves another's image alone and uses another drive", async () => {
    const { server, bmc, system } = await withDvd();
    server.insert(CD, FOREIGN);
    expect(await convergeMedia(bmc, system, ISO, quick)).toMatchObject({ state: 'reached' });
    expect(server.resources.get(CD)).toMatchObject({ Image: FOREIGN });
    expect(server.resources.get(DVD)).toMatchObject({ Image: ISO });
  });

  it("names another's images when no drive is free, without what their paths carry", async () => {
    const { server, bmc, system } = await start();
    server.insert(CD, FOREIGN);
    const failure = await failureOf(convergeMedia(bmc, system, ISO, quick));
    expect(failure.code).toBe('MEDIA_TAKEN');
    expect(failure.message).toContain('elsewhere.example');
    expect(JSON.stringify(failure)).not.toContain('secret');
    expect(server.asked('POST', EJECT)).toHaveLength(0);
  });

  it('vm-10: finds drives under both, and tries the next when one is dead', async () => {
    const { server, bmc, system } = await withDvd({ MediaTypes: ['CD'] });
    server.on('POST', `${DVD}/Insert`, () => ({ status: 204 }));
    expect((await listMedia(bmc, system)).map((s) => [s.uri, s.under])).toEqual([
      [DVD, 'system'],
      [CD, 'manager'],
    ]);
    const patient = { ...quick, patienceMs: 0 };
    const first = await convergeMedia(bmc, system, ISO, patient);
    expect(first).toMatchObject({ state: 'pending', code: 'MEDIA_NOT_INSERTED', asked: { slot: DVD } });
    expect(await convergeMedia(bmc, system, ISO, patient)).toMatchObject({ state: 'reached' });
    expect(server.resources.get(CD)).toMatchObject({ Image: ISO });
  });

  it('vm-12: passes over a drive without the action, and one that answers 405', async () => {
    const { server, bmc, system } = await withDvd({ MediaTypes: ['CD'], Actions: {} });
    expect(await convergeMedia(bmc, system, ISO, quick)).toMatchObject({ state: 'reached' });
    expect(server.asked('POST', INSERT)).toHaveLength(1);
    await convergeNoMedia(bmc, system, quick);
    server.on('POST', INSERT, () => ({ status: 405, body: {} }));
    expect((await failureOf(convergeMedia(bmc, system, ISO, quick))).code).toBe('MEDIA_REFUSED');
  });

  it('vm-12: says which drives there are when none takes a CD', async () => {
    const { server, bmc, system } = await start();
    server.patch(CD, { MediaTypes: ['Floppy', 'USBStick'] });
    const failure = await failureOf(convergeMedia(bmc, system, ISO, quick));
    expect(failure.code).toBe('MEDIA_UNSUPPORTED');
    expect(failure.message).toContain('Floppy/USBStick');
  });

  it('vm-14: patches a drive where no drive has the action; a missing Inserted is unknown', async () => {
    const { server, bmc, system } = await start();
    server.put(CD, { MediaTypes: ['CD'], Image: null });
    server.on('PATCH', CD, (call) => {
      server.patch(CD, { Image: (call.body as { Image: string | null }).Image });
      return { status: 200, body: {} };
    });
    expect(await convergeMedia(bmc, system, ISO, quick)).toMatchObject({ state: 'reached' });
    expect(await convergeNoMedia(bmc, system, quick)).toMatchObject({ state: 'reached', changed: true });
    expect(server.resources.get(CD)).toMatchObject({ Image: null });
  });

  it.each([
    [500, { error: { message: `Failed fetching image from URL ${ISO}` } }],
    [
      400,
      redfishError(
        'RAC0904',
        'Unable to locate the ISO or IMG image file or folder in the network share location.',
      ),
    ],
    [503, redfishError('GeneralError', `Could not connect to ${ISO}.`)],
  ])('vm-15: a %s that says the image was not fetched is the publisher’s', async (status, body) => {
    const { server, bmc, system } = await start();
    server.on('POST', INSERT, () => ({ status, body }));
    const failure = await failureOf(convergeMedia(bmc, system, ISO, quick));
    expect(failure).toMatchObject({ code: 'MEDIA_FETCH_FAILED', faultDomain: 'media-publisher' });
    expect(JSON.stringify(failure)).not.toContain('tok-2');
  });

  it('vm-16: follows a task, and waits until the drive shows the image', async () => {
    const { server, bmc, system } = await start();
    let reads = 0;
    server.on('POST', INSERT, () => ({
      status: 202,
      headers: { Location: '/redfish/v1/TaskService/Tasks/4?x=1' },
    }));
    server.on('GET', '/redfish/v1/TaskService/Tasks/4?x=1', () => {
      reads += 1;
      if (reads < 3) return { status: 202, body: { TaskState: 'Running' } };
      server.insert(CD, ISO);
      return { status: 200, body: { TaskState: 'Completed', TaskStatus: 'OK' } };
    });
    const look = await convergeMedia(bmc, system, ISO, { ...quick, watchMs: 500 });
    expect(look).toMatchObject({ state: 'reached' });
    expect(reads).toBe(3);
  });

  it('vm-16: a task that goes on is pending, and its failure is found at the next look', async () => {
    const { server, bmc, system } = await start();
    const task = '/redfish/v1/TaskService/Tasks/5';
    let state: Record<string, unknown> = { TaskState: 'Running' };
    server.on('POST', INSERT, () => ({ status: 202, body: { '@odata.id': task, TaskState: 'New' } }));
    server.on('GET', task, () => ({ status: 200, body: state }));
    const look = await convergeMedia(bmc, system, ISO, quick);
    expect(look).toMatchObject({ state: 'pending', asked: { task } });
    state = { TaskState: 'Exception', Messages: [{ Message: 'Unable to connect to the remote share.' }] };
    expect((await failureOf(convergeMedia(bmc, system, ISO, quick))).code).toBe('MEDIA_FETCH_FAILED');
    expect(bodies(server)).toHaveLength(1);
  });

  it('sends no second insert when the answer to the first was lost', async () => {
    const { server, bmc, system } = await start();
    server.on('POST', INSERT, (_call, res) => void res.destroy());
    expect((await failureOf(convergeMedia(bmc, system, ISO, quick))).code).toBe('BMC_CONNECTION_LOST');
    server.insert(CD, ISO);
    expect(await convergeMedia(bmc, system, ISO, quick)).toMatchObject({ state: 'reached', changed: true });
    expect(bodies(server)).toHaveLength(1);
  });
});
