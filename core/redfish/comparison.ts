import { oneLine } from '../markdown.ts';

/** How a server differs from its contract, and what of the contract could not be held against anything shown. */
export interface Comparison {
  readonly differences: readonly string[];
  /** What the BMC does not show, in words. */
  readonly untold: readonly string[];
  /** What the contract speaks of, and our account on the BMC may not read. */
  readonly forbidden: readonly string[];
}

const MOST = 16;
const NAME = 60;

/** A word of a BMC's, one line and capped. */
export const shownWord = (word: string): string => oneLine(word, NAME);

/**
 * A name that a tenant could have chosen: one line, capped, in quotes so that it cannot be read as our words.
 * One that looks like another name is told from it.
 */
export function quoted(name: string): string {
  const shown = shownWord(name);
  const hidden = name.length <= NAME && shown !== name ? ' with characters that are not shown' : '';
  return `"${shown.replaceAll('"', "'")}"${hidden}`;
}

/** Differences as one text, and how many more there are. */
export function shownList(items: readonly string[]): string {
  const more = items.length - MOST;
  return [...items.slice(0, MOST), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}
