import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { pythonVenv } from './peer.ts';

const run = promisify(execFile);
const NEEDS =
  'configobj==5.0.9 jinja2==3.1.6 pyyaml==6.0.4 jsonschema==4.26.0 jsonpatch==1.48 requests==2.34.2 oauthlib==4.0.1';

/** What the real cloud-init makes of a config drive. */
export interface CloudInitView {
  /** Whether it takes the volume for its own. */
  readonly found: boolean;
  readonly instance: string;
  readonly hostname: string;
  readonly keys: readonly string[];
  readonly userdata: string | null;
  readonly metadata: { readonly [key: string]: unknown };
  /** The files that it would write for systemd-networkd, by interface; null if the drive says nothing of networks. */
  readonly units: { readonly [name: string]: string } | null;
}

/**
 * The data sources of the distribution's cloud-init, with its own readers of the files and of the network; only
 * which devices there are, which MAC addresses, and how one is mounted is told to them.
 */
const PROGRAM = `
import json, sys
from unittest import mock
from cloudinit import helpers, net, util
from cloudinit.net import network_state, networkd
from cloudinit.sources import DataSourceConfigDrive, DataSourceNoCloud
form, folder, state, macs = sys.argv[1], sys.argv[2], sys.argv[3], json.loads(sys.argv[4])
module = {'openstack': DataSourceConfigDrive, 'nocloud': DataSourceNoCloud}[form]
label = {'openstack': 'config-2', 'nocloud': 'cidata'}[form]
def devices(criteria=None, **_):
    return ['/dev/drive'] if criteria in ('LABEL=' + label, 'LABEL_FATBOOT=' + label, 'TYPE=iso9660') else []
def mounted(device, callback, data=None, **_):
    return callback(folder, data) if data is not None else callback(folder)
with mock.patch.object(util, 'mount_cb', mounted), mock.patch.object(util, 'find_devs_with', devices), \\
     mock.patch.object(net, 'get_interfaces_by_mac', lambda *a, **k: macs), \\
     mock.patch.object(network_state, 'get_interfaces_by_mac', lambda *a, **k: macs):
    name = {'openstack': 'DataSourceConfigDrive', 'nocloud': 'DataSourceNoCloud'}[form]
    source = getattr(module, name)({}, mock.Mock(), helpers.Paths({'cloud_dir': state, 'run_dir': state}))
    found = bool(source._get_data())
    units = None
    if found and source.network_config:
        units = networkd.Renderer()._render_content(
            network_state.parse_net_config_data(source.network_config, skip_broken=False))
    raw = source.userdata_raw if found else None
    hostname = source.get_hostname() if found else None
    print(json.dumps({
        'found': found,
        'instance': source.get_instance_id() if found else None,
        'hostname': getattr(hostname, 'hostname', hostname),
        'keys': source.get_public_ssh_keys() if found else [],
        'userdata': raw.decode() if isinstance(raw, bytes) else raw,
        'metadata': source.metadata if found else {},
        'units': units,
    }, default=str))
`;

/** Reads a folder as cloud-init reads the volume of a config drive, on a machine with these MAC addresses. */
export async function cloudInitReads(
  form: 'openstack' | 'nocloud',
  folder: string,
  macs: { readonly [mac: string]: string },
): Promise<CloudInitView> {
  const venv = await pythonVenv('cloud-init', NEEDS);
  const modules = await unpacked(dirname(venv));
  const state = await mkdtemp(join(tmpdir(), 'rackwright-cloud-init-'));
  try {
    const { stdout } = await run(
      join(venv, 'bin', 'python'),
      ['-c', PROGRAM, form, folder, state, JSON.stringify(macs)],
      { env: { ...process.env, PYTHONPATH: modules } },
    );
    return JSON.parse(stdout) as CloudInitView;
  } finally {
    await rm(state, { recursive: true, force: true });
  }
}

/** The distribution's package, unpacked and not installed: an installed one would configure this machine. */
async function unpacked(peers: string): Promise<string> {
  const home = join(peers, 'cloud-init');
  const modules = join(home, 'usr', 'lib', 'python3', 'dist-packages');
  if (existsSync(join(home, '.done'))) return modules;
  await rm(home, { recursive: true, force: true });
  await mkdir(home, { recursive: true });
  await run('apt-get', ['download', 'cloud-init'], { cwd: home }).catch(async () => {
    await run('apt-get', ['-qq', 'update']);
    await run('apt-get', ['download', 'cloud-init'], { cwd: home });
  });
  const deb = (await readdir(home)).find((name) => name.endsWith('.deb'))!;
  await run('dpkg-deb', ['-x', join(home, deb), home]);
  await writeFile(join(home, '.done'), deb);
  return modules;
}

/** What is missing on this machine for it. */
export async function missingForCloudInit(): Promise<string[]> {
  const missing: string[] = [];
  for (const program of ['apt-get', 'dpkg-deb', 'xorriso']) {
    await run('sh', ['-c', `command -v ${program}`]).catch(() => missing.push(program));
  }
  return missing;
}
