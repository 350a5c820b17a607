import { countOf, objectOf, objectsOf, textOf } from './read.ts';

/** What a guest said of itself at its first boot, as far as we compare it. */
export interface GuestReport {
  readonly hostname: string | null;
  readonly addresses: readonly { readonly interface: string | null; readonly address: string }[];
  readonly gpus: readonly (string | null)[];
  readonly diskBytes: readonly number[];
  /** By MAC address, in lower case; null for up: not told. */
  readonly links: readonly { readonly mac: string; readonly up: boolean | null }[];
  /** Where something is mounted; null if it was not told. */
  readonly mounts: readonly string[] | null;
  /** Null: not told. */
  readonly routes: readonly Route[] | null;
  /** The DNS servers that it asks; null if it was not told. */
  readonly dns: readonly string[] | null;
  /** What its clock showed, in milliseconds since 1970; null if it was not told. */
  readonly time: number | null;
  /** When the gateway took the report, by the gateway's clock. */
  readonly receivedAt: number | null;
}

export interface Route {
  /** A network, or `default`. */
  readonly destination: string;
  readonly gateway: string | null;
  readonly interface: string | null;
}

/** ISO 8601 with its zone: without one, it would be another moment wherever it is read. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/i;

const momentOf = (value: unknown): number | null => {
  const text = textOf(value) ?? '';
  const time = MOMENT.test(text) ? Date.parse(text.replace(',', '.')) : NaN;
  return Number.isFinite(time) ? time : null;
};

/** Reads a guest's report; the guest is not trusted with types or sizes. */
export function readGuestReport(report: unknown): GuestReport {
  const fields = objectOf(report);
  const { mounts, routes, dns } = fields;
  return {
    hostname: textOf(fields['hostname']),
    addresses: objectsOf(fields['addresses']).flatMap((entry) => {
      const address = textOf(entry['address']);
      return address === null ? [] : [{ interface: textOf(entry['interface']), address }];
    }),
    gpus: objectsOf(fields['gpus']).map((gpu) => textOf(gpu['model'])),
    diskBytes: objectsOf(fields['disks']).map((disk) => countOf(disk['sizeBytes']) ?? 0),
    links: objectsOf(fields['links']).flatMap((link) => {
      const mac = textOf(link['mac'])?.toLowerCase();
      const { up } = link;
      return mac === undefined ? [] : [{ mac, up: typeof up === 'boolean' ? up : null }];
    }),
    mounts: Array.isArray(mounts) ? mounts.flatMap((path: unknown) => textOf(path) ?? []) : null,
    routes: Array.isArray(routes)
      ? objectsOf(routes).flatMap((route) => {
          const destination = textOf(route['destination']);
          if (destination === null) return [];
          return [{ destination, gateway: textOf(route['gateway']), interface: textOf(route['interface']) }];
        })
      : null,
    dns: Array.isArray(dns) ? dns.slice(0, 64).flatMap((server: unknown) => textOf(server) ?? []) : null,
    time: momentOf(fields['time']),
    receivedAt: momentOf(fields['receivedAt']),
  };
}
