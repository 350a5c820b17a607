import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder with the files that the inventories of these tests name. */
export function folderWithFiles(): string {
  const folder = mkdtempSync(join(tmpdir(), 'inventory-'));
  writeFileSync(join(folder, 'agent.iso'), 'iso');
  writeFileSync(join(folder, 'not-a-ca.pem'), 'no certificate');
  mkdirSync(join(folder, 'a-folder'));
  return folder;
}

export const SUM = `sha256:${'ab'.repeat(32)}`;

/** A right inventory; a test replaces one line (or more) by wrong ones. */
export const RIGHT = `site: s1
bmc:
  credentials: { username: admin, password: env:BMC }
  tls: verify
media:
  gatewayUrl: http://10.0.0.1:8080
  iso: agent.iso
networks:
  provisioning: { cidr: 10.0.0.0/24 }
images:
  - name: ubuntu
    url: https://images.example/u.img
    checksum: ${SUM}
    format: raw
machineTypes:
  - name: gpu
nodes:
  - name: n1
    type: gpu
    bmc:
      address: https://10.0.1.1
      system: /redfish/v1/Systems/1
    ports:
      - mac: '52:54:00:00:00:01'
        network: provisioning
  - name: n2
    type: gpu
    bmc:
      address: https://10.0.1.2
    ports:
      - mac: '52:54:00:00:00:02'
acceptance:
  node: n1
  image: ubuntu
`;
