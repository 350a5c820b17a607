/** What an inventory's reader says of a wrong value, and the smallest correction. Never the value itself. */
export const RULES = {
  name: {
    message: 'is not a name',
    correction: 'Use 1 to 63 of a-z, 0-9, `.` and `-`, beginning with a letter or a digit.',
  },
  secret: {
    message: 'is a plain-text secret or no reference',
    correction: 'Write where the secret is kept: env:NAME, file:PATH or exec:COMMAND.',
  },
  httpUrl: {
    message: 'is not an http or https URL',
    correction: 'Write it with its scheme and host, as in https://10.0.0.10.',
  },
  imageUrl: {
    message: 'is neither an http, https or file URL nor a path',
    correction: 'Write https://HOST/PATH, file:///PATH, or a path relative to the inventory.',
  },
  userinfo: {
    message: 'holds a user name or a password',
    correction: 'Take the part before the @ out of the URL; credentials are references of their own.',
  },
  bmcOrigin: {
    message: 'names a Redfish resource, not the BMC',
    correction: 'Give only scheme, host and port; put the path of the system into `system`.',
  },
  manager: {
    message: 'names a Manager, which is the BMC itself, not the server',
    correction: 'Name the ComputerSystem, as in /redfish/v1/Systems/1.',
  },
  system: {
    message: 'is not the path of a system',
    correction: 'Write the path of the ComputerSystem, as in /redfish/v1/Systems/1, without scheme and host.',
  },
  sha256: {
    message: 'is not a SHA-256',
    correction: 'Write `sha256:` and the 64 hexadecimal digits that sha256sum prints.',
  },
  mediaChecksum: {
    message: 'is not in the form of `iso`',
    correction: 'Write one checksum for one ISO, or one for each architecture that `iso` has.',
  },
  mac: {
    message: 'is not a MAC address',
    correction: 'Write six pairs of hexadecimal digits, as in 52:54:00:12:34:56.',
  },
  cidr: {
    message: 'is not a network in CIDR form',
    correction: 'Write address and prefix length, as in 10.1.0.0/24.',
  },
  address: {
    message: 'is not an IP address',
    correction: 'Write an IPv4 or IPv6 address, as in 10.1.0.11; the prefix length is that of the network.',
  },
  addressNeedsNetwork: {
    message: 'stands on a port that names no network',
    correction: 'Add `network` to the port: its `cidr` says how long the prefix is.',
  },
  addressOutside: {
    message: 'is not an address of a host in the network of the port',
    correction: 'Write an address within the `cidr` of the network, not its first and not its broadcast.',
  },
  addressOfGateway: {
    message: 'is the address of the gateway of its network',
    correction: 'Give the port an address of its own, or correct `gateway` of the network.',
  },
  gatewayOutside: {
    message: 'is not an address of a host in this network',
    correction: 'Write an address within the `cidr`: a guest reaches its gateway without another.',
  },
  secondGateway: {
    message: 'would be the second default gateway of this server',
    correction:
      'A server has one: take `gateway` out of the network that does not lead everywhere, or `address` from this port.',
  },
  console: {
    message: 'does not say where the log of the console is, or says it twice',
    correction:
      'Write {file: PATH} for a file that the workers see, or {url: URL} with `credentials` where it wants some.',
  },
  duration: {
    message: 'is not a duration',
    correction: 'Write it as in 90s, 15m, 2h30m or 3d; at most 365d.',
  },
  cron: {
    message: 'is not a schedule',
    correction:
      'Write five cron fields, as in `30 2 * * *`: minute (0-59), hour (0-23), day (1-31), month (1-12), day of the week (0-7).',
  },
  cronDay: {
    message: 'is a schedule that never comes: no month that it names has such a day',
    correction: 'Name a day (the third field) that one of its months (the fourth) has, as in `30 2 28 2 *`.',
  },
  clock: {
    message: 'is not a time of day',
    correction: 'Write hours and minutes in quotes, as in "22:30".',
  },
  timeZone: {
    message: 'is not a time zone',
    correction: 'Write its IANA name, as in UTC or Europe/Berlin.',
  },
  tls: {
    message: 'is not a TLS policy',
    correction: 'Write verify, {ca: PATH}, {fingerprint: "sha256:…"} or insecure.',
  },
  watch: {
    message: 'does not say how to watch',
    correction: 'Write `off`, or {interval: DURATION} as in {interval: 60s}.',
  },
  interval: {
    message: 'is no interval of 1 second to 1 hour',
    correction: 'Write it as in 60s or 5m; to look at nothing, write `watch: off`.',
  },
  watchOff: {
    message: 'is not `off`',
    correction: 'A node can only be left alone: write `off`; the interval stands under the top-level `bmc`.',
  },
  accounts: {
    message: 'is not a user name',
    correction: 'Write a user name of the BMC as plain text; for none, write an empty list: [].',
  },
  noHints: {
    message: 'has no hint',
    correction: 'Give at least one hint, or leave `rootDevice` out.',
  },
  mount: {
    message: 'is not an absolute path',
    correction: 'Write where it is mounted in the guest, as in /scratch.',
  },
  biosAttribute: {
    message: 'is not the name of a BIOS attribute',
    correction:
      "Write it as the BMC's attribute registry has it: a letter, then letters, digits, `_`, `.`, `-`; passwords are not set from here.",
  },
  biosValue: {
    message: 'is not a value of a BIOS attribute',
    correction: 'Write one line of text, a whole number, true or false.',
  },
  biosSettings: {
    message: 'has no setting, or more than 500',
    correction: 'Give at least one attribute with its value, or leave `bios` out.',
  },
  path: {
    message: 'is not a path',
    correction: 'Write the path of a file, absolute or relative to the inventory.',
  },
  bmcNeeded: {
    message: 'is missing: driver redfish reaches the server through its BMC',
    correction: 'Add `bmc` with `address`, or set `driver: ironic`.',
  },
  ironicNeeded: {
    message: 'is missing: driver ironic needs it',
    correction: 'Add `ironic` with `driver` and `driverInfo`, or set `driver: redfish`.',
  },
  ironicUnused: {
    message: 'is only for driver ironic',
    correction: 'Remove it, or set `driver: ironic`.',
  },
  firmwareChecksum: {
    message: 'is missing: a file is only given to a BMC if it is the one that is meant',
    correction: 'Add `checksum` with the SHA-256 of the file.',
  },
  firmwareOneSource: {
    message: 'stands beside `url`: a file has one source',
    correction: 'Remove one of `file` and `url`.',
  },
  firmwareFileName: {
    message: 'is called like another file: a BMC asks the gateway for it by its name',
    correction: 'Rename one of the two files.',
  },
  firmwareNeedsGateway: {
    message: 'is served by the gateway, and the inventory has no `media.gatewayUrl`',
    correction: 'Add `media` with `gatewayUrl`, or give the `url` that the BMC fetches it from.',
  },
  handOverFrom: {
    message: 'is no place that a guest can be tried from',
    correction: 'Write `worker`, the machine of the worker, or the name of a vantage point.',
  },
  reachFrom: {
    message: 'is no place that a component could be at',
    correction: 'Write the name of a vantage point; or `worker`, where it is on the machine of the worker.',
  },
  handOverFromWorker: {
    message: 'names a vantage point with a worker of its own, from which nothing is tried yet',
    correction:
      'Give the vantage point `ssh`, a `controller` or a `pod` in the place of `worker: true`, or name another.',
  },
  statusCommand: {
    message: 'is no command of the service that tells the state of its database and changes nothing',
    correction:
      'Give the words of one, with nothing after it: keystone-manage db_sync --check, glance-manage db check, neutron-db-manage current, nova-status (or placement-, ironic-status) upgrade check.',
  },
  watched: {
    message: 'is no time of 1 second to 10 minutes',
    correction:
      'Write it as in 65s: longer than two intervals of reports, and short enough that nothing happens between two looks.',
  },
  plainUrl: {
    message: 'holds a query or a fragment, which others would see',
    correction:
      'Take what follows the ? or # out of the URL: it stands on the command lines of hosts, and in evidence. Name an address that answers without.',
  },
  vantageNamedWorker: {
    message: 'is the name of the machine that the worker runs on',
    correction: 'Give the vantage point another name.',
  },
  vantageWithoutSsh: {
    message: 'names a vantage point on a controller that has no `ssh`',
    correction: 'Add `ssh` with `user` and `key` to the controller, or name another vantage point.',
  },
  hostname: {
    message: 'is not a host name',
    correction: 'Write letters, digits, dots and hyphens, at most 64, as `hostnamectl` shows the static one.',
  },
  interfaceName: {
    message: 'is not the name of a network interface',
    correction:
      'Write the name as `ip link` shows it, as in eno1: at most 15 characters, no space, no slash.',
  },
  sshHost: {
    message: 'is neither a host name nor an IP address',
    correction:
      'Write only the host, as in jump.example.org or 10.0.0.5: user and port have fields of their own.',
  },
  sshUser: {
    message: 'is not the name of a user who can log in',
    correction: 'Write the name of a user of that host, as in rackwright.',
  },
  hostKey: {
    message: 'is not a public key of a host',
    correction:
      'Write type and key, as `ssh-keyscan` prints them behind the host: ssh-ed25519 and then the base64 text.',
  },
  handOverNeedsAddress: {
    message: 'is a machine type whose guests are tried, and no port of this server has an `address`',
    correction:
      'Give a port its `network` and `address`: with driver ironic no guest tells its own. Or leave `handOver` out of the type.',
  },
  podLabels: {
    message: 'names no label',
    correction: 'Write labels that only these pods have, as `kubectl get pods --show-labels` shows them.',
  },
  podForHost: {
    message: 'names a vantage point in a pod, and a host is needed here',
    correction: 'Name a vantage point with `ssh` or a `controller`.',
  },
  podWithoutKubernetes: {
    message: 'names a vantage point in a pod, and the inventory has no `kubernetes`',
    correction: 'Add `kubernetes` with its `kubeconfig`, or give the vantage point `ssh`.',
  },
  oneCeph: {
    message: 'says not, or twice, where `ceph` is run',
    correction: 'Give `namespace`, where Rook runs Ceph, or `from`, a vantage point that has the command.',
  },
  cephUser: {
    message: 'is not the name of a user of Ceph',
    correction: 'Write what stands after `client.` in `ceph auth ls`.',
  },
  toolboxOfRook: {
    message: 'has a `toolbox`, and asks elsewhere',
    correction: 'Remove `toolbox`, or give `namespace` in the place of `from`.',
  },
  oneVantage: {
    message: 'says not, or more than once, where it is',
    correction: 'Give exactly one of `controller`, `ssh`, `pod` and `worker: true`.',
  },
  containerImage: {
    message: 'is not the name of a container image',
    correction: 'Write it as in registry.k8s.io/pause:3.10; the digest has a field of its own.',
  },
  deployImage: {
    message: 'says not, or twice, where it is',
    correction: 'Give exactly one of `glance` and `url`.',
  },
  microversion: {
    message: 'is not a microversion',
    correction: 'Write it in quotes, as in "1.82".',
  },
  ironicApiNeeded: {
    message: 'is ironic, but the inventory does not say where Ironic is',
    correction: 'Add `openstack.ironic.url`.',
  },
  credentialsNeeded: {
    message: 'has no complete credentials',
    correction: 'Add `credentials` with `username` and `password` here, or for all nodes under `bmc`.',
  },
  gatewayUnspecified: {
    message: 'is an address to listen on, not one that can be reached',
    correction: 'Write the address at which BMCs and deploy agents reach the gateway.',
  },
  gatewayLoopback: {
    message: 'is a loopback address, which BMCs elsewhere cannot reach',
    correction: 'Write the address at which BMCs and deploy agents reach the gateway.',
  },
  provisioningNeeded: {
    message: 'lacks `provisioning`, the network that deploy agents call from',
    correction: 'Add `provisioning` with its `cidr` under `networks`.',
  },
} as const satisfies Record<string, { message: string; correction: string }>;

const CORRECTIONS: ReadonlyMap<string, string> = new Map(
  Object.values(RULES).map(({ message, correction }) => [message, correction]),
);

/** The correction that belongs to the message of a rule; undefined if no rule says so. */
export const correctionOf = (message: string): string | undefined => CORRECTIONS.get(message);
