import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readBios } from '../../../activities/redfish/bios.ts';
import { readBiosRegistry, type RegistryFound } from '../../../activities/redfish/bios-registry.ts';
import { findSystem } from '../../../activities/redfish/service.ts';
import { opened, scripted } from './fixtures.ts';
import { SYSTEM, type ScriptedBmc } from './scripted-bmc.ts';

const REGISTRIES = '/redfish/v1/Registries';
const BODY = { RegistryEntries: { Attributes: [{ AttributeName: 'LogicalProc', Type: 'Enumeration' }] } };
const link = (uri: string) => ({ '@odata.id': uri });
let made = 0;

interface Shown {
  readonly found: RegistryFound;
  readonly server: ScriptedBmc;
  readonly name: string;
}

/** A BMC whose BIOS names a registry, whose file says where it is; asked for the registry twice. */
async function shown(
  change: (server: ScriptedBmc, name: string, file: string) => void = () => undefined,
  location: object = {},
): Promise<Shown> {
  const { server, bmc } = await opened();
  // A name of its own: registries are kept by address and name, and an address may come again.
  const name = `BiosAttributeRegistryT${(made += 1)}.v1_0_0`;
  const file = `${REGISTRIES}/${name}`;
  server.patch(SYSTEM, { Bios: link(`${SYSTEM}/Bios`) });
  server.put(`${SYSTEM}/Bios`, { AttributeRegistry: name, Attributes: { LogicalProc: 'Enabled' } });
  server.collect(REGISTRIES, [`${REGISTRIES}/Base.1.18.0`, file]);
  server.put(`${REGISTRIES}/Base.1.18.0`, { Id: 'Base.1.18.0', Registry: 'Base.1.18.0' });
  server.put(file, {
    Id: name,
    Registry: name,
    Location: [{ Language: 'en', Uri: `${file}.json`, ...location }],
  });
  server.put(`${file}.json`, BODY);
  change(server, name, file);
  try {
    const system = await findSystem(bmc);
    const { bios } = (await readBios(bmc, system))!;
    const found = await readBiosRegistry(bmc, system, bios);
    expect(await readBiosRegistry(bmc, system, bios)).toEqual(found);
    return { found, server, name };
  } finally {
    bmc.close();
  }
}

const attributes = ({ found }: Shown): string[] | null =>
  found.registry === null ? null : [...found.registry.attributes.keys()];

describe('the attribute registry of a BIOS', () => {
  it('is found by its name, read once and kept; no other file is read', async () => {
    const result = await shown();
    expect(attributes(result)).toEqual(['LogicalProc']);
    expect(result.server.asked('GET', /\.json$/)).toHaveLength(1);
    expect(result.server.asked('GET', /Base/)).toEqual([]);
  });

  it.each([
    ['packed, and said to be so', { 'content-encoding': 'gzip' }],
    ['packed, and not said to be so', {}],
  ])('may be %s', async (_, headers) => {
    const result = await shown((server, _name, file) =>
      server.on('GET', `${file}.json`, (_call, res) => {
        res.writeHead(200, { 'content-type': 'application/json', ...headers });
        res.end(gzipSync(JSON.stringify(BODY)));
      }),
    );
    expect(attributes(result)).toEqual(['LogicalProc']);
  });

  it('may be of another version, if it is the only one', async () => {
    const other = (server: ScriptedBmc, name: string, file: string): void =>
      server.put(file, { Registry: name.replace('v1_0_0', 'v1_0_7'), Location: [{ Uri: `${file}.json` }] });
    expect(attributes(await shown(other))).toEqual(['LogicalProc']);
    const two = await shown((server, name, file) => {
      other(server, name, file);
      server.put(`${file}b`, {
        Registry: name.replace('v1_0_0', 'v1_0_8'),
        Location: [{ Uri: `${file}.json` }],
      });
      server.collect(REGISTRIES, [file, `${file}b`]);
    });
    expect(two.found).toEqual({
      registry: null,
      why: `the BMC does not have the attribute registry ${two.name}`,
    });
  });

  it('may be where the file should be', async () => {
    const itself = await shown((server, name, file) => server.put(file, { Id: name, ...BODY }));
    expect(attributes(itself)).toEqual(['LogicalProc']);
  });

  it('that is elsewhere is not gone after: nothing is sent there', async () => {
    const elsewhere = await scripted();
    const result = await shown(undefined, { Uri: `${elsewhere.url}/registry.json` });
    expect(result.found).toEqual({
      registry: null,
      why: `the attribute registry ${result.name} cannot be read`,
    });
    const published = { Uri: undefined, PublicationUri: `${elsewhere.url}/registry.json` };
    expect((await shown(undefined, published)).found).toMatchObject({
      why: expect.stringContaining('is published elsewhere only') as string,
    });
    expect(elsewhere.calls).toEqual([]);
  });

  it.each([
    ['no collection', (server: ScriptedBmc) => server.resources.delete(REGISTRIES), 'does not have'],
    [
      'a registry that is none',
      (server: ScriptedBmc, _: string, file: string) => server.put(`${file}.json`, { RegistryEntries: {} }),
      'cannot be read',
    ],
    [
      'a BIOS that names none',
      (server: ScriptedBmc) => server.put(`${SYSTEM}/Bios`, { Attributes: {} }),
      'names no attribute registry',
    ],
  ])('may be missing: %s', async (_, change, why) => {
    const { found } = await shown((server, name, file) => void change(server, name, file));
    expect(found).toEqual({ registry: null, why: expect.stringContaining(why) as string });
  });
});

describe('a settings object', () => {
  it.each([
    ['none', {}, null],
    ['an empty link', { SettingsObject: link('') }, null],
    ['the BIOS itself', { SettingsObject: link(`${SYSTEM}/Bios/`) }, null],
    ['one that is not there', { SettingsObject: link(`${SYSTEM}/Bios/SD`) }, null],
    ['one that is', { SettingsObject: link(`${SYSTEM}/Bios/Settings`) }, `${SYSTEM}/Bios/Settings`],
  ])('bios-55: %s', async (_, settings, uri) => {
    const { server, bmc } = await opened();
    server.patch(SYSTEM, { Bios: link(`${SYSTEM}/Bios`) });
    server.put(`${SYSTEM}/Bios`, { Attributes: { A: 1 }, '@Redfish.Settings': settings });
    server.put(`${SYSTEM}/Bios/Settings`, { Attributes: {} });
    const found = await readBios(bmc, await findSystem(bmc));
    expect(found!.settings?.uri ?? null).toBe(uri);
    bmc.close();
  });
});
