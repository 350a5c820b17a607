interface Words {
  readonly message: string;
  readonly correction: string;
}

const INDENT: Words = {
  message: 'is not indented as YAML needs it',
  correction: 'Indent with spaces, the same for each item of a map or list.',
};
const QUOTES: Words = {
  message: 'begins or holds a character that YAML gives a meaning of its own',
  correction: 'Put the value in single quotes.',
};

/** By the parser's code. Its own messages repeat the text, which may be a secret. */
const WORDS: Readonly<Record<string, Words>> = {
  BAD_INDENT: INDENT,
  TAB_AS_INDENT: { message: 'is indented with a tab', correction: 'Indent with spaces.' },
  BLOCK_AS_IMPLICIT_KEY: INDENT,
  MULTILINE_IMPLICIT_KEY: INDENT,
  BLOCK_IN_FLOW: INDENT,
  BAD_SCALAR_START: QUOTES,
  BAD_ALIAS: QUOTES,
  BAD_DQ_ESCAPE: {
    message: 'holds a backslash that begins no escape',
    correction: 'Use single quotes, in which a backslash is only that.',
  },
  MISSING_CHAR: {
    message: 'lacks a closing quote, bracket, or a colon or comma',
    correction: 'Close what was opened on this line or above; write a colon after each key.',
  },
  TAG_RESOLVE_FAILED: {
    message: 'has a tag (`!`) that is not known',
    correction: 'Remove the tag; put text that begins with ! in quotes.',
  },
  MULTIPLE_DOCS: {
    message: 'begins a second document',
    correction: 'Remove the line `---`, or make it a file of a folder.',
  },
  UNEXPECTED_TOKEN: {
    message: 'is not expected here',
    correction: 'Correct the line, or put the value in single quotes.',
  },
  RESOURCE_EXHAUSTION: {
    message: 'is nested too deeply',
    correction: 'Write the inventory as the reference shows it.',
  },
};

/** What to say of a syntax error. */
export const syntaxWords = (code: string): Words =>
  WORDS[code] ?? { message: 'is not YAML', correction: 'Correct the syntax of this line.' };
