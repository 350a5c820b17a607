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
    expect(text).toContain('| Reach the BMC | ✓ done | 2026-03-01 10:00:02Z | found Systems/1 |');
    expect(text).toContain('| Erase | ▶ running | 2026-03-01 10:00:03Z |  |');
    expect(text).toContain('| Flush | · |  |  |');
  });

  it('says of a hold what failed, whose it is, what to do, and how to go on', () => {
    const text = operationDetails(
      report({ held: true, failure: failure('AGENT_SILENT', 'Nothing came.'), residue: ['media'] }),
    );
    expect(text).toContain('### deploy of n1: held');
    expect(text).toContain('**AGENT_SILENT** · fault domain **deploy-agent**');
    expect(text).toContain('**Correction:** Look at the console');
    expect(text).toContain('send `resume`');
    expect(text).toContain('Left behind: media');
  });

  it('shows the verdict once there is one', () => {
    expect(operationDetails(report({ outcome: 'pass', phase: 'active' }))).toContain('deploy of n1: pass');
  });

  it('lets nothing that a device says become markup', () => {
    const text = operationDetails(
      report({
        failure: evil,
        notes: ['2026 <b>note</b>'],
        steps: [{ id: 's', title: 'T', state: 'failed', failure: evil }],
      }),
    );
    expect(text).not.toContain('<');
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
    expect(text).toContain('| team&#95;a | a | on | unknown | 0 |');
    expect(text).toContain('Left behind: media');
    expect(text).toContain('Legal now: inspect, reimage, release,');
  });

  it('has the operation, held with its failure', () => {
    const operation = anOperation({ held: true, step: 'erase', failure: failure('ERASE_FAILED', 'sda') });
    const text = nodeDetails(aNode({ phase: 'clean-failed', operation }), []);
    expect(text).toContain('Operation **deploy** (op-1) is **held** at erase.');
    expect(text).toContain('**ERASE_FAILED** · fault domain **hardware**');
  });

  it('has the last failure where nothing runs, and the messages that were refused', () => {
    const text = nodeDetails(aNode({ lastFailure: evil }), [
      { at: '2026-03-01T10:00:00Z', verb: 'po|wer', code: 'INVALID_MESSAGE', message: '<i>' },
    ]);
    expect(text).toContain('**AGENT_COMMAND_FAILED**');
    expect(text).toContain('| 2026-03-01T10:00:00Z | po&#124;wer | INVALID_MESSAGE | &#60;i&#62; |');
  });
});
