/**
 * The beginning of a text of somebody else, in whole words: half a secret is found by nobody who masks whole ones.
 *
 * @param most how many characters it may have
 */
export const firstWords = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/\S*$/, '')}…`;
