import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as s from './site.ts';
import type { Site } from './site.ts';

/** What Keystone, Glance and Ironic read. */

export function writeKeystone(site: Site): void {
  const keys = s.etc(site, 'keystone', 'fernet-keys');
  s.writeConfig(s.etc(site, 'keystone', 'keystone.conf'), {
    DEFAULT: { log_file: s.log(site, 'keystone') },
    // What a test changes in Keystone is to be seen at once.
    cache: { enabled: false },
    database: { connection: s.database(site, 'keystone') },
    token: { provider: 'fernet', expiration: site.timing.tokenSeconds },
    fernet_tokens: { key_repository: keys },
    fernet_receipts: { key_repository: keys },
    credential: { key_repository: s.etc(site, 'keystone', 'credential-keys') },
    // At bcrypt's default cost, each login of a service would take a quarter of a second of CPU.
    identity: { password_hash_rounds: 4 },
  });
}

export function writeGlance(site: Site): void {
  const store = (name: string): string => s.state(site, 'glance', name);
  for (const name of ['images', 'staging', 'tasks']) mkdirSync(store(name), { recursive: true });
  s.writeConfig(s.etc(site, 'glance', 'glance-api.conf'), {
    DEFAULT: { log_file: s.log(site, 'glance'), enabled_backends: 'fs:file' },
    glance_store: { default_backend: 'fs' },
    fs: { filesystem_store_datadir: store('images') },
    os_glance_staging_store: { filesystem_store_datadir: store('staging') },
    os_glance_tasks_store: { filesystem_store_datadir: store('tasks') },
    database: { connection: s.database(site, 'glance') },
    keystone_authtoken: s.login(site, 'glance'),
    paste_deploy: { flavor: 'keystone' },
    oslo_messaging_notifications: { driver: 'noop' },
  });
  shipped(site, 'glance', 'glance-api-paste.ini');
}

const FAKE = ['bios', 'boot', 'console', 'deploy', 'firmware', 'inspect', 'management', 'power', 'raid'];

export function writeIronic(site: Site): void {
  const who = s.login(site, 'ironic');
  const fake = [...FAKE, 'rescue', 'storage', 'vendor'].map((kind) => [`enabled_${kind}_interfaces`, 'fake']);
  const clients = ['glance', 'neutron', 'nova', 'swift', 'cinder', 'inspector', 'service_catalog'];
  const down = site.timing.downAfterSeconds;
  mkdirSync(s.state(site, 'ironic'), { recursive: true });
  s.writeConfig(s.etc(site, 'ironic', 'ironic.conf'), {
    DEFAULT: {
      auth_strategy: 'keystone',
      rbac_service_role_elevated_access: true,
      host: s.IRONIC_CONDUCTOR_HOST,
      my_ip: '127.0.0.1',
      rpc_transport: 'json-rpc',
      state_path: s.state(site, 'ironic'),
      tempdir: s.state(site, 'ironic'),
      enabled_hardware_types: 'fake-hardware',
      ...Object.fromEntries(fake),
      enabled_console_interfaces: 'fake,no-console',
      enabled_storage_interfaces: 'noop,fake',
      enabled_vendor_interfaces: 'fake,no-vendor',
      enabled_network_interfaces: 'noop',
      default_network_interface: 'noop',
    },
    // On another port than the usual one, a conductor that was killed does not know its own locks again: they stay.
    json_rpc: { ...who, auth_strategy: 'keystone', host_ip: '127.0.0.1', port: site.ports['ironic-rpc'] },
    conductor: {
      automated_clean: false,
      heartbeat_interval: 2,
      // On sqlite Ironic's conductors send no heartbeat, and its API calls them dead after this time all the same.
      heartbeat_timeout: site.whole ? down : 86_400,
      sync_power_state_interval: 3600,
      graceful_shutdown_timeout: 1,
    },
    fake: { deploy_delay: site.timing.deploySeconds },
    database: { connection: s.database(site, 'ironic') },
    keystone_authtoken: who,
    ...Object.fromEntries(clients.map((name) => [name, who])),
    oslo_concurrency: { lock_path: s.state(site, 'lock') },
  });
}

/** A file that comes with the service, and that it does not look for where pip has put it. */
export function shipped(site: Site, service: 'glance' | 'neutron' | 'nova', name: string): void {
  const to = s.etc(site, service, name);
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(join(site.venv, 'etc', service, name), to);
}
