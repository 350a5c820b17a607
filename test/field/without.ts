import type { Plugin } from 'vitest/config';
import { DISABLED, type Disabled } from './disabled.ts';

/** The text with each edit made; throws where one does not fit exactly once. */
export function edited(file: string, text: string, edits: Disabled['edits']): string {
  return edits
    .filter((edit) => edit.file === file)
    .reduce((now, { find, replace }) => {
      const parts = now.split(find);
      if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${find}`);
      return parts.join(replace);
    }, text);
}

/** The entry of this name. */
export function disabledNamed(name: string): Disabled {
  const found = DISABLED.find((each) => each.name === name);
  if (found === undefined) throw new Error(`No handling is called ${name}: see test/field/disabled.ts.`);
  return found;
}

/** Switches one handling of the source off, as it is loaded. */
export function without(name: string): Plugin {
  const { edits } = disabledNamed(name);
  const root = new URL('../..', import.meta.url).pathname;
  return {
    name: 'without-a-handling',
    enforce: 'pre',
    transform(code, id) {
      const file = id.replace(/\?.*$/, '').replace(root, '');
      return edits.some((edit) => edit.file === file) ? edited(file, code, edits) : undefined;
    },
  };
}
