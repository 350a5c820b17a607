import { FAULT_SWITCHES, type FaultSwitch } from '../../lab/fault-switches.ts';
import { ACCESS_SWITCHES, HOST_SWITCHES } from '../../lab/hosts/switches.ts';
import { KUBERNETES_SWITCHES } from '../../lab/kubernetes/switches.ts';
import { CLOUD_SERVICES, CLOUD_SWITCHES } from '../../lab/openstack/switches.ts';
import { code, table } from './markdown.ts';

const TAKES = { count: 'times, or `true`', flag: '`true`', milliseconds: 'milliseconds' } as const;

const CONTROL = [
  ['GET /servers', 'each server: the URL of its BMC, power, media, boot override, faults'],
  ['GET /servers/<name>', 'what it really has: hardware, disks, BIOS settings, firmware, TPM'],
  ['GET /servers/<name>/log', 'what happened to it; `?after=<seq>`: since then'],
  ['GET /servers/<name>/faults', 'its switches'],
  ['DELETE /servers/<name>/faults', 'all of them off'],
  [
    'PUT /servers/<name>/firmware',
    'as if somebody had brought other firmware to it, such as `{"NIC": "1.0"}`',
  ],
] as const;

const switches = (all: readonly FaultSwitch[]): string =>
  table(
    ['switch', 'takes', 'what then happens'],
    all.map(({ name, value, description }) => [code(name), TAKES[value], description]),
  );

/** The fault switches of the lab. */
export const labFaultsPage = (): string =>
  [
    '# Fault switches of the lab',
    '',
    'Set with `PUT /servers/<name>/faults` on the lab, one JSON object of switches. A switch that counts takes a',
    'number of times or `true` for always; `0` or `false` turns it off. `GET /faults` lists them too.',
    '',
    'The rest of what the lab answers, at the `lab=` URL that `rackwright up --lab` prints:',
    '',
    table(
      ['request', 'what it does'],
      CONTROL.map(([request, what]) => [code(request), what]),
    ),
    '',
    switches(FAULT_SWITCHES),
    '',
    '## Kubernetes',
    '',
    '`rackwright up --lab --control-plane` has three controllers too, which are nodes of a Kubernetes with Ceph: its API',
    'over TLS, and a kubeconfig in the inventory. Its switches: `PUT /services/kubernetes/faults`; `GET` and `DELETE` as',
    'above.',
    '',
    switches(KUBERNETES_SWITCHES),
    '',
    '## Hosts',
    '',
    'The controllers are logged in to over SSH too, with the key that the inventory names, at an address and with a host',
    'key of their own. Commands are run on this machine, by a shell that finds tools which answer as that host. The',
    'switches: `PUT /services/hosts/faults`; `GET` and `DELETE` as above.',
    '',
    switches(HOST_SWITCHES),
    '',
    '## OpenStack',
    '',
    '`rackwright up --lab --openstack` has an OpenStack too, and with it the control plane: Keystone, Nova, Neutron,',
    'Glance, Placement and Ironic, as clients of 2026.1 know them, at one port over TLS. The inventory says where and with',
    'which account. The last server of the lab is a node of its Ironic: flavor `bm.gpu`, image `acceptance-image`,',
    'networks `provisioning` and `tenant`. Each service has its switches: `PUT /services/<service>/faults`.',
    ...CLOUD_SERVICES.flatMap((service) => [
      '',
      `### ${service[0]!.toUpperCase()}${service.slice(1)}`,
      '',
      switches(CLOUD_SWITCHES[service]),
    ]),
    '',
    '## Access',
    '',
    'With the cloud come those who use it, each logged in to over SSH as the controllers are: `operator-desk`, the host of',
    'an operator; `user-desk`, that of a user; `tenant-guest`, a guest with something that runs on it for others. They are',
    'the vantage points of the inventory, and trust the authority of the lab. The guest is always there, and no server of',
    'Nova: it stands for those of users. What is tried from them is tried in earnest, by the programs of this machine. It',
    'has one network: that one of them has no route somewhere is told by its `python3`; of all the others, a port is closed.',
    'The switches: `PUT /services/access/faults`; that of the proxy for consoles is among those of Nova.',
    '',
    switches(ACCESS_SWITCHES),
  ].join('\n');
