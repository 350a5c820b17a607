import { describe, expect, it } from 'vitest';
import { nodeDetails, operationDetails } from '../../core/details.ts';
import { failure } from '../../core/errors/failure.ts';
import type { OperationReport } from '../../core/operations.ts';
import { aNode, anOperation } from './support.ts';

const report = (over: Partial<OperationReport> = {}): OperationReport => ({
  site: 'test',
  node: 'n1',
  requestId: 'r1',
  kind: 'deploy',
  phase: 'deploying',
  startedAt: '2026-03-01T10:00:00.000Z',
  held: false,
  steps: [],
  notes: [],
  residue: [],
  evidence: [],
  data: {},
  ...over,
});
/** The cells of a table, without the empty columns that keep them apart. */
const rows = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .filter((_, index) => index % 2 === 0)
        .map((cell) => cell.trim().replaceAll('\u00a0', ' ').replaceAll('\u2011', '-')),
    );
const evil = failure('AGENT_COMMAND_FAILED', '<script>alert(1)</script> | [x](https://evil.example)\n# big');

describe('what the Web UI shows of an operation', () => {
  it('has a row for each step, with its state and time', () => {
    const text = operationDetails(
      report({
        steps: [
          {
            id: 'connect',
            title: 'Reach the BMC',
            state: 'done',
            startedAt: '2026-03-01T10:00:00.000Z',
            endedAt: '2026-03-01T10:00:02.500Z',
            summary: 'found Systems/1',
          },
          { id: 'erase', title: 'Erase', state: 'running', startedAt: '2026-03-01T10:00:03.000Z' },
          { id: 'sync', title: 'Flush', state: 'pending' },
        ],
      }),
    );
    expect(text).toContain('### deploy of n1: running');
    expect(rows(text)).toEqual([
      ['state', 'at (UTC)', 'step'],
      ['---', '---', '---'],
      ['✓ done', '10:00:02', '**Reach the BMC**<br>found Systems/1'],
      ['▶ running', '10:00:03', '**Erase**'],
      ['· pending', '', '**Flush**'],
    ]);
  });

  it('says of a hold what failed, whose it is, what to do, and how to go on', () => {
    const text = operationDetails(
      report({ held: true, failure: failure('AGENT_SILENT', 'Nothing came.'), residue: ['media'] }),
    );
    expect(text).toContain('### deploy of n1: held');
    expect(text).toContain('**AGENT_SILENT** · fault domain **deploy-agent**');
    expect(text).toContain('**Correction:** Look at the console');
    expect(text).toContain('send `resume` with `{}`');
    expect(text).toContain('Left behind: **media**');
  });

  it('does not call left behind what a running operation still uses', () => {
    const text = operationDetails(report({ residue: ['media', 'power'] }));
    expect(text).toContain('Set up, and not yet taken back: **media, power**');
    expect(text).not.toContain('Left behind');
  });

  it('shows the verdict once there is one', () => {
    expect(operationDetails(report({ outcome: 'pass', phase: 'active' }))).toContain('deploy of n1: pass');
  });

  it('has the newest notes, with their time', () => {
    const notes = ['2026-03-01T10:00:04.903Z The power is off'];
    expect(operationDetails(report({ notes }))).toContain('- 2026-03-01 10&#58;00&#58;04 The power is off');
  });

  it('names the day of what was not done on the first one', () => {
    const text = operationDetails(
      report({ steps: [{ id: 's', title: 'T', state: 'done', endedAt: '2026-03-03T09:15:00.000Z' }] }),
    );
    expect(text).toContain('began 2026-03-01 10:00:00 UTC');
    expect(rows(text)[2]).toEqual(['✓ done', '03-03 09:15', '**T**']);
  });

  it('shortens in the table what would make it wider than its frame', () => {
    const hash = 'sha256:' + 'ab'.repeat(32);
    const f = failure('AGENT_COMMAND_FAILED', `found ${hash}`);
    const text = operationDetails(
      report({ failure: f, steps: [{ id: 's', title: 'T', state: 'failed', failure: f }] }),
    );
    expect(text).toContain('found sha256&#58;abab');
    expect(text).toContain('ab'.repeat(32));
    expect(rows(text)[2]![2]).toContain('found sha256&#58;abababababa…abababababab');
  });

  it('shows the words that a correction puts into backticks as code', () => {
    const held = failure('IN_MAINTENANCE', 'It is.');
    expect(operationDetails(report({ failure: held }))).toContain(
      'End the maintenance with `maintenance` `on: false`, then ask again.',
    );
  });

  it('lets nothing that a device says become markup', () => {
    const text = operationDetails(
      report({
        failure: evil,
        notes: ['2026 <b>note</b>'],
        steps: [{ id: 's', title: 'T', state: 'failed', failure: evil }],
      }),
    );
    expect(text.replaceAll('<br>', '')).not.toContain('<');
    expect(text).not.toContain('](');
    expect(text).not.toContain('https:');
    expect(text).not.toMatch(/^# big/m);
  });
});

describe('what the Web UI shows of a node', () => {
  it('has phase, flags, owner and the verbs legal now', () => {
    const text = nodeDetails(
      aNode({
        phase: 'active',
        owner: 'team_a',
        image: 'a',
        power: 'on',
        flags: { maintenance: 'fans', quarantined: null, drift: null },
        residue: ['media'],
      }),
      [],
    );
    expect(text).toContain('### n1: active (maintenance, residue)');
    expect(text).toContain('Owner **team&#95;a** · image **a** · power **on** · health **unknown**');
    expect(text).toContain('maintenance: fans');
    expect(text).toContain('Left behind: **media**');
    expect(text).toContain('Legal now: `inspect` `reimage` `release`');
  });

  it('names power that somebody else changed, and since when the BMC cannot be read', () => {
    const powerChange = { from: 'on', to: 'off', at: '2026-03-01T10:00:04.903Z', by: 'outside' } as const;
    const text = nodeDetails(aNode({ power: 'off', health: 'OK', powerChange }), []);
    expect(text).toContain('power **off** · health **OK**');
    expect(text).toContain(
      'Power changed from **on** to **off** by someone else, seen 2026-03-01 10:00:04 UTC',
    );
    const unreachable = { since: '2026-03-01T09:00:00Z', why: '<b>BMC' };
    const silent = nodeDetails(aNode({ power: 'off', health: 'OK', unreachable }), []);
    expect(silent).toContain('power **unknown** · health **unknown**');
    expect(silent).toContain('BMC cannot be read since 2026-03-01 09:00:00 UTC: **&#60;b&#62;BMC**');
    expect(nodeDetails(aNode({ powerChange: null, unreachable: null }), [])).not.toContain('someone');
  });

  it('says what drifted, in the words of a BMC, and nothing becomes markup', () => {
    const drift = 'GPU gone: was <b>[x](https://evil.example)</b> # `H100`, is none (hardware)';
    const text = nodeDetails(aNode({ flags: { maintenance: null, quarantined: null, drift } }), []);
    expect(text).toContain('drift: GPU gone&#58; was &#60;b&#62;&#91;x&#93;');
    expect(text).not.toMatch(/<b>|\]\(http|`H100`/);
  });

  it('has the operation, held with its failure', () => {
    const operation = anOperation({ held: true, step: 'erase', failure: failure('ERASE_FAILED', 'sda') });
    const text = nodeDetails(aNode({ phase: 'clean-failed', power: 'on', operation }), [], 'night');
    expect(text).toContain('power **unknown**');
    expect(text).toContain('Operation **deploy** is **held**:');
    expect(text).toContain('[op/test/n1/op-1](namespaces/night/workflows/op%2Ftest%2Fn1%2Fop-1)');
    expect(text).toContain('**ERASE_FAILED** · fault domain **hardware**');
    expect(text).toContain('send `resume` with `{}`');
  });

  it('says at which step an operation runs', () => {
    const text = nodeDetails(aNode({ operation: anOperation({ step: 'erase' }) }), []);
    expect(text).toContain('Operation **deploy** is running at `erase`:');
  });

  it('has the last failure where nothing runs, and the messages that were refused', () => {
    const text = nodeDetails(aNode({ lastFailure: evil }), [
      { at: '2026-03-01T10:00:00Z', verb: 'po|wer', code: 'INVALID_MESSAGE', message: '<i>' },
    ]);
    expect(text).toContain('**AGENT_COMMAND_FAILED**');
    expect(rows(text)[2]).toEqual([
      '2026-03-01<br>10:00:00',
      'po&#124;wer',
      '**INVALID&#95;MESSAGE**<br>&#60;i&#62;',
    ]);
  });
});
