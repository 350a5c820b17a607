import { QUIRKS, type QuirkRow } from '../../core/redfish/quirks.ts';
import { code, table } from './markdown.ts';

const range = ({ firmware }: QuirkRow): string =>
  firmware === undefined ? 'any' : `${firmware.from ?? ''} … ${firmware.to ?? ''}`.trim();

const shown = (pattern: RegExp | undefined): string => (pattern === undefined ? 'any' : code(pattern.source));

const flags = (row: QuirkRow): string =>
  Object.entries(row.flags)
    .map(([flag, value]) => code(value === true ? flag : `${flag}: ${[value].flat().join(', ')}`))
    .join(' ');

/** What is done differently for which BMCs. */
export const quirksPage = (): string =>
  [
    '# Quirks of BMCs',
    '',
    'What is known beforehand of some BMCs: each row saves a refused request, and no more. What is not in this table is',
    'found out by asking, and remembered for the BMC for as long as the worker runs: parameters that an insert has to',
    'have, a boot override that is written to the settings object or cannot be switched off, a boot mode that has to be',
    'sent, resources that want `If-Match`, drives that take images and never show them.',
    '',
    'The vendor is what `Vendor` of the service root says, else `Manufacturer` of the system, else whose extensions the',
    'root has. Product is `Model` of the system; manager and firmware are `Model` and `FirmwareVersion` of its manager,',
    'which is read only for the vendors of rows that name one of them.',
    '',
    table(
      ['report', 'vendor', 'product', 'manager', 'firmware', 'what is done', 'told in public'],
      QUIRKS.map((row) => [
        row.report,
        shown(row.vendor),
        shown(row.product),
        shown(row.manager),
        range(row),
        flags(row),
        row.source === undefined ? 'no' : `[here](${row.source})`,
      ]),
    ),
  ].join('\n');
