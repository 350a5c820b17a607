import { defineSearchAttributeKey, type SearchAttributeUpdatePair } from '@temporalio/common';
import { SEARCH_ATTRIBUTES } from '../core/names.ts';

export type AttributeName = keyof typeof SEARCH_ATTRIBUTES;

/** A search attribute and its value; null removes it. */
export function attribute(
  name: AttributeName,
  value: string | readonly string[] | null,
): SearchAttributeUpdatePair {
  return SEARCH_ATTRIBUTES[name] === 'KEYWORD_LIST'
    ? {
        key: defineSearchAttributeKey(name, 'KEYWORD_LIST'),
        value: value === null ? null : [...(value as readonly string[])],
      }
    : { key: defineSearchAttributeKey(name, 'KEYWORD'), value: value as string | null };
}
