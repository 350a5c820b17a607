import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Every Markdown file that git knows or would take. */
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(file));

const withoutCode = (text: string): string =>
  text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '');

/** The anchor that a heading gets, as the usual hosts make it. */
const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

const anchors = (file: string): string[] =>
  [
    ...readFileSync(file, 'utf8')
      .replaceAll(/^```[\s\S]*?^```$/gm, '')
      .matchAll(/^#+ (.+)$/gm),
  ].map(([, heading]) => anchor(heading!));

/** What is wrong with a link; undefined if it leads somewhere. */
function broken(from: string, link: string): string | undefined {
  if (/^(https?|mailto):/.test(link)) return undefined;
  const [path, hash] = link.split('#') as [string, string?];
  const target = path === '' ? from : join(dirname(from), decodeURI(path));
  if (!existsSync(target)) return `${from}: ${link} leads nowhere`;
  if (hash === undefined || statSync(target).isDirectory()) return undefined;
  return anchors(target).includes(hash) ? undefined : `${from}: ${target} has no heading #${hash}`;
}

describe('the links of every page', () => {
  it('are looked at', () => {
    expect(files).toContain('README.md');
    expect(files.length).toBeGreaterThan(10);
  });

  it.each(files)('%s: lead somewhere', (file) => {
    const links = [...withoutCode(readFileSync(file, 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)].map(
      ([, to]) => to!,
    );
    expect(links.map((link) => broken(file, link)).filter((each) => each !== undefined)).toEqual([]);
  });
});

describe('every page under docs/', () => {
  it('can be reached from the table of contents', () => {
    const contents = readFileSync('docs/README.md', 'utf8');
    const pages = files.filter((file) => file.startsWith('docs/') && file !== 'docs/README.md');
    const reached = pages.filter((page) => contents.includes(`(${page.slice('docs/'.length)})`));
    expect(pages.filter((page) => !reached.includes(page))).toEqual([]);
  });
});
