import type { InsertParameter } from './media.ts';

/** Who made the system and its BMC, as far as the service says. */
export interface RedfishIdentity {
  readonly vendor: string | null;
  /** The model of the system. */
  readonly product: string | null;
  /** The model of the manager: it tells generations of BMCs apart that all have one product name. */
  readonly manager: string | null;
  /** Of the manager. */
  readonly firmware: string | null;
}

/** What is done differently for a BMC. Everything here can also be learned at run time. */
export interface QuirkFlags {
  /** Sent with the first insert, since the BMC is known to ask for them. */
  readonly insertWith?: readonly InsertParameter[];
  /** Boot is written to the settings object at once. */
  readonly bootThroughSettings?: boolean;
  /** The override cannot be switched off; the disk is made the lasting source. */
  readonly noDisabledOverride?: boolean;
  /** How long a power change may take to show before the reset is asked for again. */
  readonly powerPatienceMs?: number;
}

export interface QuirkRow {
  /** The row of the field reports that this one answers. */
  readonly report: string;
  readonly vendor: RegExp;
  /** The model of the system. */
  readonly product?: RegExp;
  /** The model of the manager. */
  readonly manager?: RegExp;
  /** Inclusive bounds of the BMC's firmware version. */
  readonly firmware?: { readonly from?: string; readonly to?: string };
  readonly flags: QuirkFlags;
  /** Where it is told in public; else only the field reports have it, with no range of firmware. */
  readonly source?: string;
}

/** Known deviations. A row only saves the BMC a refused request: what it says is also found out by asking. */
export const QUIRKS: readonly QuirkRow[] = [
  { report: 'vm-1', vendor: /^(nokia|zt)/i, flags: { insertWith: ['TransferProtocolType'] } },
  {
    report: 'vm-1',
    vendor: /^cisco/i,
    product: /C845A/i,
    flags: { insertWith: ['TransferProtocolType'] },
    source: 'https://github.com/openshift/openstack-sushy/pull/152',
  },
  {
    report: 'vm-2',
    vendor: /^nvidia/i,
    product: /dgx/i,
    flags: { insertWith: ['TransferProtocolType', 'UserName', 'Password'] },
  },
  {
    // The generation of the server is in the model of its manager ("17G Monolithic"), iDRAC10 in no resource.
    report: 'boot-17',
    vendor: /^dell/i,
    manager: /^(1[7-9]|[2-9]\d)G\b/i,
    flags: { bootThroughSettings: true },
    source: 'https://github.com/ansible-collections/community.general/issues/11297',
  },
  { report: 'boot-24', vendor: /^sushy/i, flags: { noDisabledOverride: true } },
];

/** Whether rows ask for what only a manager tells; for most vendors none does, and no manager is read. */
export const asksTheManager = (vendor: string | null, rows: readonly QuirkRow[] = QUIRKS): boolean =>
  rows.some(
    (row) => row.vendor.test(vendor ?? '') && (row.manager !== undefined || row.firmware !== undefined),
  );

/** Compares dotted versions by their numbers; what is no number ends the comparison. */
export function compareVersions(a: string, b: string): number {
  const parts = (v: string): number[] => (v.match(/\d+/g) ?? []).map(Number);
  const [x, y] = [parts(a), parts(b)];
  for (let i = 0; i < Math.max(x.length, y.length); i += 1) {
    const d = (x[i] ?? 0) - (y[i] ?? 0);
    if (d !== 0) return Math.sign(d);
  }
  return 0;
}

const inRange = (row: QuirkRow, firmware: string | null): boolean => {
  if (row.firmware === undefined) return true;
  if (firmware === null) return false;
  const { from, to } = row.firmware;
  return (
    (from === undefined || compareVersions(firmware, from) >= 0) &&
    (to === undefined || compareVersions(firmware, to) <= 0)
  );
};

/** The flags of every row that fits, later rows over earlier ones, and the reports that they come from. */
export function quirksFor(
  identity: RedfishIdentity,
  rows: readonly QuirkRow[] = QUIRKS,
): { readonly flags: QuirkFlags; readonly reports: readonly string[] } {
  const fitting = rows.filter(
    (row) =>
      row.vendor.test(identity.vendor ?? '') &&
      (row.product === undefined || row.product.test(identity.product ?? '')) &&
      (row.manager === undefined || row.manager.test(identity.manager ?? '')) &&
      inRange(row, identity.firmware),
  );
  return {
    flags: Object.assign({}, ...fitting.map((row) => row.flags)) as QuirkFlags,
    reports: fitting.map((row) => row.report),
  };
}
