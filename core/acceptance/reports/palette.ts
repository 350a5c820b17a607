/** The colours of the report. Each pair of text and ground has a contrast of 4.5 to 1 or more, in both schemes. */

export interface Palette {
  readonly ground: string;
  readonly card: string;
  readonly line: string;
  readonly text: string;
  readonly muted: string;
  readonly pass: string;
  readonly passGround: string;
  readonly fail: string;
  readonly failGround: string;
  readonly error: string;
  readonly errorGround: string;
  readonly hold: string;
  readonly holdGround: string;
  readonly quiet: string;
  readonly quietGround: string;
}

export const LIGHT: Palette = {
  ground: '#ffffff',
  card: '#f6f8fa',
  line: '#d0d7de',
  text: '#1f2328',
  muted: '#57606a',
  pass: '#116329',
  passGround: '#dafbe1',
  fail: '#a40e26',
  failGround: '#ffebe9',
  error: '#7a4100',
  errorGround: '#fff1d6',
  hold: '#0a4a91',
  holdGround: '#ddf0ff',
  quiet: '#57606a',
  quietGround: '#eaeef2',
};

export const DARK: Palette = {
  ground: '#0d1117',
  card: '#161b22',
  line: '#3d444d',
  text: '#e6edf3',
  muted: '#9da7b3',
  pass: '#6fdd8b',
  passGround: '#0f2d1a',
  fail: '#ff9d98',
  failGround: '#42161a',
  error: '#f2bd60',
  errorGround: '#3a2a06',
  hold: '#8ccbff',
  holdGround: '#0c2d4e',
  quiet: '#9da7b3',
  quietGround: '#21262d',
};

/** Which text stands on which ground. */
export const PAIRS: readonly (readonly [text: keyof Palette, ground: keyof Palette])[] = [
  ['text', 'ground'],
  ['text', 'card'],
  ['muted', 'ground'],
  ['muted', 'card'],
  ['text', 'passGround'],
  ['text', 'failGround'],
  ['text', 'errorGround'],
  ['text', 'holdGround'],
  ['text', 'quietGround'],
  ['muted', 'passGround'],
  ['muted', 'quietGround'],
  ['pass', 'passGround'],
  ['fail', 'failGround'],
  ['error', 'errorGround'],
  ['hold', 'holdGround'],
  ['quiet', 'quietGround'],
];
