import { CATALOGUE, type ErrorCode } from '../../core/errors/catalogue.ts';
import type { CatalogueEntry } from '../../core/errors/entry.ts';
import { FAULT_DOMAINS } from '../../core/fault-domains.ts';

/** Every code, by the fault domain that it names unless a failure says better. */
export function errorsPage(): string {
  const all = Object.entries(CATALOGUE) as [ErrorCode, CatalogueEntry][];
  const domains = FAULT_DOMAINS.filter((domain) => all.some(([, entry]) => entry.faultDomain === domain));
  return [
    '# Errors',
    '',
    'Every failure that Rackwright tells has one of these codes: in the Web UI, on the command line, in HTTP',
    'answers, and as the type of an `ApplicationFailure`. Codes stay what they are; messages may change, so',
    'switch on codes. The fault domain says who has to fix it; a failure may name a more exact one than its',
    'code does. *Passing* means that the same call may succeed later without anyone changing anything.',
    '',
    `There are ${all.length} codes, by fault domain: ${domains.map((d) => `[${d}](#${d})`).join(', ')}.`,
    ...domains.flatMap((domain) => [
      '',
      `## ${domain}`,
      ...all
        .filter(([, entry]) => entry.faultDomain === domain)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .flatMap(([name, entry]) => ['', ...section(name, entry)]),
    ]),
  ].join('\n');
}

const section = (name: string, entry: CatalogueEntry): string[] => [
  `### ${name}`,
  '',
  `${entry.meaning}`,
  '',
  `**Correction:** ${entry.correction}`,
  '',
  `HTTP ${entry.httpStatus} · ${entry.retryable ? 'passing' : 'stays until it is corrected'}`,
];
