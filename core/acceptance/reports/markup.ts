/** Text from outside in HTML and XML. */

/** Control characters, and what turns the direction of the text around it; line breaks and tabs stay. */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const ENTITIES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The text as it may stand in HTML and XML, between tags and in quoted attributes; capped. */
export function escapeMarkup(text: string, cap = 4000): string {
  const seen = text
    .slice(0, cap * 2)
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(UNSEEN, '');
  const cut =
    seen.length > cap || text.length > cap * 2
      ? `${seen.slice(0, cap - 1).replace(/[\ud800-\udbff]$/, '')}…`
      : seen;
  return cut.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/** Seconds between two times; undefined while one of them is not known. */
export const secondsBetween = (from: string | undefined, to: string | undefined): number | undefined =>
  from === undefined || to === undefined
    ? undefined
    : Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000);
