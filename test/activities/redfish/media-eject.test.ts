import { describe, expect, it } from 'vitest';
import { convergeNoMedia } from '../../../activities/redfish/media.ts';
import { ISO, OLD, FOREIGN, EJECT, quick, DVD, start, withDvd } from './media-fixtures.ts';
import { CD, redfishError } from './scripted-bmc.ts';

describe('no media', () => {
  it('vm-8: an error for an empty drive is a success', async () => {
    const { server, bmc, system } = await start();
    server.insert(CD, ISO);
    server.on('POST', EJECT, () => {
      server.patch(CD, { Image: null, Inserted: false });
      return { status: 400, body: redfishError('NoVirtualMediaMounted', 'Nothing is mounted.') };
    });
    expect(await convergeNoMedia(bmc, system, quick)).toMatchObject({ state: 'reached' });
  });

  it("ejects ours and leaves others', unless all is asked for", async () => {
    const { server, bmc, system } = await withDvd();
    server.insert(CD, FOREIGN);
    server.insert(DVD, OLD);
    server.on('POST', `${DVD}/Eject`, () => {
      server.patch(DVD, { Image: '', Inserted: false });
      return { status: 204 };
    });
    expect(await convergeNoMedia(bmc, system, quick)).toMatchObject({ state: 'reached', changed: true });
    expect(server.resources.get(CD)).toMatchObject({ Image: FOREIGN });
    expect(await convergeNoMedia(bmc, system, { ...quick, all: true })).toMatchObject({ state: 'reached' });
    expect(server.resources.get(CD)).toMatchObject({ Inserted: false });
  });

  it('vm-6: ejects an image of ours from a drive that shows its name only', async () => {
    const { server, bmc, system } = await start();
    server.patch(CD, { Image: null, ImageName: 'deploy.iso', Inserted: true, ConnectedVia: 'URI' });
    expect(await convergeNoMedia(bmc, system, quick)).toMatchObject({ state: 'reached', changed: false });
    const named = { ...quick, names: ['deploy.iso'] };
    expect(await convergeNoMedia(bmc, system, named)).toMatchObject({ state: 'reached', changed: true });
    expect(server.resources.get(CD)).toMatchObject({ Inserted: false });
  });

  it('vm-6: is not there yet while the drive shows the image, and then is', async () => {
    const { server, bmc, system } = await start();
    server.insert(CD, ISO);
    server.on('POST', EJECT, () => ({ status: 204 }));
    expect(await convergeNoMedia(bmc, system, quick)).toMatchObject({
      state: 'pending',
      code: 'MEDIA_NOT_EJECTED',
    });
    expect(await convergeNoMedia(bmc, system, quick)).toMatchObject({ state: 'pending' });
    expect(server.asked('POST', EJECT)).toHaveLength(1);
    server.patch(CD, { Inserted: false });
    expect(await convergeNoMedia(bmc, system, quick)).toMatchObject({ state: 'reached' });
  });

  it('vm-6: a URL that stays for ever counts as out when the drive is not connected', async () => {
    const { server, bmc, system } = await start();
    server.insert(CD, ISO);
    server.on('POST', EJECT, () => {
      server.patch(CD, { ConnectedVia: 'NotConnected' });
      return { status: 204 };
    });
    expect(await convergeNoMedia(bmc, system, quick)).toMatchObject({ state: 'reached', changed: true });
  });
});
