import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CATALOGUE } from '../../core/errors/catalogue.ts';
import { PHASES } from '../../core/phases.ts';
import { ALL_VERBS } from '../../core/verbs.ts';
import { generate } from '../../docs/generate.ts';

let folder: string;
const said: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rackwright-docs-'));
  said.length = 0;
  vi.spyOn(console, 'error').mockImplementation((line: string) => void said.push(line));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});
const page = (name: string): string => readFileSync(join('docs', 'reference', name), 'utf8');

describe('the reference', () => {
  it('is what the tables of the code make it', () => {
    expect({ exit: generate(['--check']), said }).toEqual({ exit: 0, said: [] });
  });

  it('that is not is named, and fails the check', () => {
    expect(generate(['--folder', folder])).toBe(0);
    expect(generate(['--folder', folder, '--check'])).toBe(0);
    appendFileSync(join(folder, 'phases.md'), 'by hand\n');
    rmSync(join(folder, 'verbs.md'));
    expect(generate(['--folder', folder, '--check'])).toBe(1);
    expect(said).toEqual([
      `${join(folder, 'phases.md')} is stale: run \`npm run docs\``,
      `${join(folder, 'verbs.md')} is stale: run \`npm run docs\``,
    ]);
  });

  it('has every code, phase and verb', () => {
    for (const code of Object.keys(CATALOGUE)) expect(page('errors.md')).toContain(`\n### ${code}\n`);
    for (const phase of PHASES) expect(page('phases.md')).toContain(`\`${phase}\``);
    for (const verb of ALL_VERBS) expect(page('verbs.md')).toContain(`\`${verb}\``);
  });

  it('draws the life of a node', () => {
    const drawn = /```mermaid\n([\s\S]*?)```/.exec(page('phases.md'))![1]!;
    for (const arrow of [
      '[*] --> enrolled',
      'enrolled --> verifying: enroll',
      'verifying --> inspecting',
      'inspecting --> manageable',
      'manageable --> cleaning: clean',
      'cleaning --> available',
      'available --> deploying: deploy',
      'active --> deploying: reimage',
      'deploying --> active',
      'active --> releasing: release',
      'releasing --> cleaning',
      'decommissioning --> decommissioned',
    ]) {
      expect(drawn.split('\n').map((line) => line.trim())).toContain(arrow);
    }
    expect(drawn).not.toContain('active --> available');
  });
});
