import { mkdirSync } from 'node:fs';
import { shipped } from './config-small.ts';
import * as s from './site.ts';
import type { Site } from './site.ts';

/** What Placement, Neutron and Nova read. */

/** Seconds between two reports of a service of Nova or Neutron. */
export const REPORT_SECONDS = 2;

const lock = (site: Site) => ({ oslo_concurrency: { lock_path: s.state(site, 'lock') } });

export function writePlacement(site: Site): void {
  s.writeConfig(s.etc(site, 'placement', 'placement.conf'), {
    DEFAULT: { log_file: s.log(site, 'placement') },
    api: { auth_strategy: 'keystone' },
    placement_database: { connection: s.database(site, 'placement') },
    keystone_authtoken: s.login(site, 'placement'),
  });
}

export function writeNeutron(site: Site): void {
  const file = (name: string): string => s.etc(site, 'neutron', name);
  s.writeConfig(file('neutron.conf'), {
    DEFAULT: {
      host: s.COMPUTE_HOST,
      core_plugin: 'ml2',
      service_plugins: '',
      auth_strategy: 'keystone',
      transport_url: s.queue(site),
      state_path: s.state(site, 'neutron'),
      api_paste_config: file('api-paste.ini'),
      rpc_workers: 1,
      rpc_state_report_workers: 0,
      agent_down_time: site.timing.downAfterSeconds,
      dhcp_agent_notification: false,
    },
    agent: { report_interval: REPORT_SECONDS },
    database: { connection: s.database(site, 'neutron') },
    keystone_authtoken: s.login(site, 'neutron'),
    nova: s.login(site, 'nova'),
    placement: s.login(site, 'placement'),
    ...lock(site),
  });
  s.writeConfig(file('ml2_conf.ini'), {
    ml2: { type_drivers: 'flat,vlan', tenant_network_types: 'vlan', mechanism_drivers: 'openvswitch' },
    ml2_type_flat: { flat_networks: s.PHYSICAL_NETWORK },
    ml2_type_vlan: { network_vlan_ranges: `${s.PHYSICAL_NETWORK}:100:199` },
  });
  shipped(site, 'neutron', 'api-paste.ini');
}

export function writeNova(site: Site): void {
  mkdirSync(s.state(site, 'nova'), { recursive: true });
  mkdirSync(s.state(site, 'nova-ironic'), { recursive: true });
  const who = s.login(site, 'nova');
  s.writeConfig(s.etc(site, 'nova', 'nova.conf'), {
    DEFAULT: {
      host: s.COMPUTE_HOST,
      my_ip: '127.0.0.1',
      state_path: s.state(site, 'nova'),
      transport_url: s.queue(site),
      // The one fake driver whose node keeps its identity: without it, a compute that was there before does not start.
      compute_driver: 'fake.FakeDriverWithoutFakeNodes',
      report_interval: REPORT_SECONDS,
      service_down_time: site.timing.downAfterSeconds,
      // No agent plugs anything here: nobody would tell Nova that it has.
      vif_plugging_is_fatal: false,
      vif_plugging_timeout: 0,
      graceful_shutdown_timeout: 1,
    },
    api: { auth_strategy: 'keystone' },
    wsgi: { api_paste_config: s.etc(site, 'nova', 'api-paste.ini') },
    api_database: { connection: s.database(site, 'nova_api') },
    database: { connection: s.database(site, 'nova') },
    conductor: { workers: 1 },
    scheduler: { workers: 1 },
    keystone_authtoken: who,
    service_user: { ...who, send_service_user_token: true },
    glance: { ...who, valid_interfaces: 'public' },
    neutron: { ...who, valid_interfaces: 'public' },
    placement: { ...who, valid_interfaces: 'public' },
    ironic: { ...who, valid_interfaces: 'public' },
    cinder: who,
    vnc: { enabled: false },
    notifications: { notification_format: 'unversioned' },
    ...lock(site),
  });
  // Read after it, by the compute that hands servers to Ironic.
  s.writeConfig(s.etc(site, 'nova', 'ironic.conf'), {
    DEFAULT: {
      host: s.IRONIC_COMPUTE_HOST,
      compute_driver: 'ironic.IronicDriver',
      state_path: s.state(site, 'nova-ironic'),
    },
  });
  shipped(site, 'nova', 'api-paste.ini');
}
