import { afterEach, expect, test, vi } from 'vitest';
import { Io } from '../../../client/cli/io.ts';
import { progressPrinter, verdictLines } from '../../../client/cli/progress.ts';
import type { ErrorCode } from '../../../core/errors/catalogue.ts';
import { failure } from '../../../core/errors/failure.ts';
import type { OperationReport } from '../../../core/operations.ts';

const isTTY = Object.getOwnPropertyDescriptor(process.stdout, 'isTTY');
const terminal = (value: boolean): void =>
  void Object.defineProperty(process.stdout, 'isTTY', { value, configurable: true });

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  if (isTTY) Object.defineProperty(process.stdout, 'isTTY', isTTY);
});

test('colours on a terminal only, and never with NO_COLOR', () => {
  vi.stubEnv('NO_COLOR', '');
  vi.stubEnv('TERM', 'xterm');
  terminal(true);
  expect(new Io(false).paint('red', 'x')).toBe('\u001b[31mx\u001b[39m');
  expect(new Io(true).paint('red', 'x')).toBe('x');
  vi.stubEnv('NO_COLOR', '1');
  expect(new Io(false).paint('red', 'x')).toBe('x');
  vi.stubEnv('NO_COLOR', '');
  terminal(false);
  expect(new Io(false).paint('red', 'x')).toBe('x');
});

const report = (over: Partial<OperationReport>): OperationReport =>
  ({
    site: 's',
    node: 'n1',
    requestId: 'r1',
    kind: 'deploy',
    phase: 'deploying',
    startedAt: '2026-01-01T00:00:00Z',
    held: false,
    steps: [],
    residue: [],
    notes: [],
    evidence: [],
    data: {},
    ...over,
  }) as OperationReport;

test('each change of a step is printed once', () => {
  const lines: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  terminal(false);
  const print = progressPrinter(new Io(false));
  const running = {
    id: 'a',
    title: 'Power on',
    state: 'running',
    startedAt: '2026-01-01T00:00:00Z',
  } as const;
  const done = { ...running, state: 'done', endedAt: '2026-01-01T00:00:05Z', summary: 'it\nis on' } as const;
  const next = { id: 'b', title: 'Wait', state: 'pending' } as const;
  print(report({ steps: [running, next] }));
  print(report({ steps: [running, next] }));
  print(report({ steps: [done, next] }));
  expect(lines).toEqual(['▸ Power on\n', '✓ Power on (5 s): it is on\n']);
});

test('what was seen before a resume is not printed again', () => {
  const lines: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  terminal(false);
  const failed = {
    id: 'a',
    title: 'Power on',
    state: 'failed',
    startedAt: '2026-01-01T00:00:00Z',
    endedAt: '2026-01-01T00:00:05Z',
  } as const;
  const again = {
    ...failed,
    state: 'done',
    startedAt: '2026-01-01T00:01:00Z',
    endedAt: '2026-01-01T00:01:02Z',
  } as const;
  const print = progressPrinter(new Io(false), '', report({ steps: [failed] }));
  print(report({ steps: [failed] }));
  print(report({ steps: [again] }));
  expect(lines).toEqual(['✓ Power on (2 s)\n']);
});

test('a hold says code, fault domain, correction, and how to go on', () => {
  const held = report({ held: true, failure: failure('STEP_TIMEOUT', 'too late') });
  const lines = verdictLines(new Io(false), held).join('\n');
  expect(lines).toContain('STEP_TIMEOUT (orchestrator): too late');
  expect(lines).toContain('correction: See whether a worker');
  expect(lines).toContain('rackwright op resume r1 --node n1');
});

test('a hold that a corrected contract would end says that it takes another operation', () => {
  const linesOf = (code: ErrorCode, contractHash?: string): string =>
    verdictLines(
      new Io(false),
      report({ held: true, failure: failure(code, 'x'), ...(contractHash ? { contractHash } : {}) }),
    ).join('\n');
  const another = linesOf('IMAGE_UNKNOWN', 'sha256:1');
  expect(another).toContain('rackwright op abort r1 --node n1 --reason TEXT, then ask again');
  expect(another).not.toContain('op resume');
  for (const code of ['WINDOW_CLOSED', 'SECRET_UNRESOLVED', 'BMC_AUTH_FAILED'] as const) {
    expect(linesOf(code, 'sha256:1')).toContain('op resume');
  }
  expect(linesOf('IMAGE_UNKNOWN')).toContain('op resume');
});
