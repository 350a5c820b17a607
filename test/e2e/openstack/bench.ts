import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { GATE_CHECKS } from '../../../activities/gates/index.ts';
import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import { contractWith } from '../../activities/gates/kubernetes/support.ts';
import type { GateNumber } from '../../../core/acceptance/gates.ts';
import type { Mend } from '../../peers/openstack/faults.ts';
import type { OpenStackPeer } from '../../peers/openstack/peer.ts';
import { startSshd, type SshdPeer } from '../../peers/sshd.ts';
import { GateBench, toldOf } from '../../workflows/gate-bench.ts';

export const HOST = 'control-host';
const SECRET = 'admin-password-of-openstack';

/** What a gate is run with on a real cloud, and one host from which its programs and endpoints are asked. */
export class Base {
  bench!: GateBench;
  readonly gate: GateNumber;
  #sshd!: SshdPeer;
  #mend: Mend | undefined;

  constructor(gate: GateNumber) {
    this.gate = gate;
  }

  async open(): Promise<void> {
    this.#sshd = await startSshd();
    this.bench = await GateBench.build(
      this.gate,
      GATE_CHECKS.filter(({ check: { gate } }) => gate === this.gate),
    );
  }

  async close(): Promise<void> {
    await this.bench?.close();
    await this.#sshd?.stop();
  }

  contract(cloud: OpenStackPeer, openstack: object, part: object = {}): Inventory {
    const password = join(cloud.folder, SECRET);
    const { username, password: secret, project } = cloud.accounts.admin;
    writeFileSync(password, secret, { mode: 0o600 });
    const { port, user, keyFile, hostKey } = this.#sshd;
    return contractWith({
      vantagePoints: [
        { name: HOST, ssh: { host: '127.0.0.1', port, user, key: `file:${keyFile}`, hostKey } },
      ],
      acceptance: { operator: HOST },
      openstack: {
        authUrl: cloud.authUrl,
        region: cloud.region,
        credentials: { username, password: `file:${password}`, project, systemScope: 'all' },
        ...openstack,
      },
      ...part,
    });
  }

  /** Without a fault, no check finds anything. */
  async passes(inventory: Inventory): Promise<void> {
    const report = await this.bench.run(inventory);
    expect(toldOf(this.bench.checksOf(report))).toBe('');
    expect(report).toMatchObject({ outcome: 'pass' });
  }

  /** A fault alone fails this check, and what mends it has it pass. */
  async failing(
    inventory: Inventory,
    id: string,
    message: RegExp,
    fault: () => Promise<Mend>,
    { code = 'CHECK_FAILED', domain = 'openstack' }: { code?: string; domain?: string } = {},
  ): Promise<void> {
    const mend = async (): Promise<void> => {
      const made = this.#mend;
      this.#mend = undefined;
      await made?.();
    };
    try {
      await this.bench.failing(inventory, {
        fault: async () => {
          this.#mend = await fault();
        },
        mend,
        id,
        expected: { domain, message, code },
      });
    } finally {
      await mend();
    }
  }
}
