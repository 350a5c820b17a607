import { readFileSync } from 'node:fs';

/** The fenced code blocks of a Markdown file in one language, in their order. */
export function codeBlocks(file: string, language: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/^```(\S+)\n([\s\S]*?)^```$/gm)]
    .filter(([, given]) => given === language)
    .map(([, , code]) => code!);
}
