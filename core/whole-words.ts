/**
 * The beginning of a text of somebody else, in whole words: half a secret is found by nobody who masks whole ones.
 *
 * @param most how many characters it may have
 */
export const firstWords = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/\S*$/, '')}…`;

/**
 * The end of such a text, in whole words.
 *
 * @param most how many characters it may have
 */
export const finalWords = (text: string, most: number): string =>
  text.length <= most ? text : `…${text.slice(text.length - most + 1).replace(/^\S*/, '')}`;
