import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeAcceptance } from '../../../activities/acceptance.ts';
import { fileEvidenceStore } from '../../../activities/evidence/file-evidence-store.ts';
import { ACCEPTANCE_SUBJECT } from '../../../activities/records/safe-names.ts';
import { SecretSet } from '../../../activities/secrets/redact.ts';
import type { Site } from '../../../activities/site.ts';
import type { AcceptanceReport, ClosedAcceptance } from '../../../core/acceptance/report.ts';
import type { EvidenceRef } from '../../../core/operations.ts';
import { green, PASSING } from '../../core/acceptance/reports/samples.ts';
import { INVENTORY, SITE } from '../../workflows/support.ts';
import { aSite } from '../support.ts';

/** Runs that are closed as the worker closes them: with real files and real keys. */

export interface Keys {
  readonly privatePem: string;
  readonly publicPem: string;
}

export function keys(kind: 'ed25519' | 'P-256'): Keys {
  const { privateKey, publicKey } =
    kind === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }) as string,
  };
}

export interface ClosedRun {
  readonly site: Site;
  readonly report: AcceptanceReport;
  readonly closed: ClosedAcceptance;
  /** The run's folder in the store. */
  readonly folder: string;
  /** The store's root. */
  readonly root: string;
}

export interface RunOptions {
  readonly runId?: string;
  readonly base?: AcceptanceReport;
  /** What `acceptance.signingKey` resolves to; without it the contract names none. */
  readonly signingKey?: string | Error;
  readonly site?: Site;
  readonly root?: string;
  /** Evidence of another run that gate 1 is kept from. */
  readonly keptFrom?: { readonly runId: string; readonly ref: EvidenceRef };
}

/** Puts evidence of three targets, and closes a run whose report points to two of them. */
export async function closedRun(options: RunOptions = {}): Promise<ClosedRun> {
  const { runId = 'run-1', base = PASSING, signingKey, keptFrom } = options;
  const root = options.root ?? (await mkdtemp(join(tmpdir(), 'rackwright-runs-')));
  const secrets = new SecretSet(['hunter2hunter2']);
  const site =
    options.site ??
    (await aSite({
      evidence: fileEvidenceStore(root),
      secrets,
      secret: async () => {
        if (typeof signingKey !== 'string') throw signingKey ?? new Error('no secret was to be resolved');
        secrets.add(signingKey);
        return signingKey;
      },
    }));
  const refs: EvidenceRef[] = [];
  for (const target of ['c1', 'c2', 'c3']) {
    refs.push(
      await site.evidence.put(
        {
          site: SITE,
          node: ACCEPTANCE_SUBJECT,
          requestId: runId,
          step: 'bmc-access',
          name: target,
          asked: 'GET /redfish/v1/',
          of: target,
          from: 'worker',
          answer: { Name: `${target} hunter2hunter2` },
        },
        site.secrets,
      ),
    );
  }
  const contract = {
    ...INVENTORY,
    acceptance: signingKey === undefined ? {} : { signingKey: 'file:signing.pem' },
  };
  const [check] = green(1).checks;
  const gate = green(1, { checks: [{ ...check!, evidence: refs.slice(0, 2) }] });
  const report: AcceptanceReport = {
    ...base,
    site: SITE,
    runId,
    contractHash: await site.contracts.store(contract),
    gates: [
      keptFrom
        ? {
            ...gate,
            checks: [{ ...check!, evidence: [keptFrom.ref] }],
            kept: { runId: keptFrom.runId, endedAt: gate.endedAt! },
          }
        : gate,
      ...base.gates.slice(1, 2).map((each) => ({
        ...each,
        checks: each.checks.map((one) => ({ ...one, evidence: one.outcome === 'fail' ? [refs[2]!] : [] })),
      })),
    ],
  };
  const { signature: _none, ...open } = report;
  const closed = await closeAcceptance(site, { report: open });
  return { site, report: open, closed, folder: join(root, SITE, ACCEPTANCE_SUBJECT, runId), root };
}
