import { describe, expect, it, test } from 'vitest';
import { reportHtml } from '../../../../core/acceptance/reports/html.ts';
import { DARK, LIGHT, PAIRS } from '../../../../core/acceptance/reports/palette.ts';
import type { AcceptanceReport } from '../../../../core/acceptance/report.ts';
import { failure } from '../../../../core/errors/failure.ts';
import { FAILING, HELD, HOSTILE, KEPT, LEFT_OUT, PASSING, UNOPENED } from './samples.ts';

const MADE = '2026-11-30T03:05:00.000Z';
const html = (report: AcceptanceReport): string => reportHtml(report, { madeAt: MADE });
/** What is read, without the marks. */
const words = (report: AcceptanceReport): string =>
  html(report)
    .replace(/<style>[^]*?<\/style>/, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');

describe('the report as a page', () => {
  it.each<[string, AcceptanceReport, string, string]>([
    ['a pass', PASSING, 'PASS', 'All seven gates are green.'],
    [
      'a fail',
      FAILING,
      'FAIL',
      'It stopped at gate 2, Kubernetes and storage. The cause is known; later gates did not run.',
    ],
    [
      'a hold',
      HELD,
      'HELD',
      'It waits at gate 2, Kubernetes and storage, until that is corrected and someone says resume.',
    ],
    ['a run that could not begin', UNOPENED, 'FAIL', 'It could not begin: the cause is known.'],
    [
      'an error',
      { ...FAILING, outcome: 'error' },
      'ERROR',
      'It stopped at gate 2, Kubernetes and storage: it could not be told. That is no pass, and no fail.',
    ],
    ['an abort', { ...FAILING, outcome: 'aborted' }, 'ABORTED', 'It was ended before its verdict at gate 2'],
    [
      'a run of some gates',
      { ...PASSING, gates: PASSING.gates.slice(0, 2) },
      'PASS',
      'Gates 1, 2 are green; this run took no other.',
    ],
  ])('says the verdict of %s first', (_what, report, verdict, sentence) => {
    expect(words(report).trim()).toMatch(
      new RegExp(`^Acceptance of lab: \\w+ \\S+ ${verdict} Acceptance of lab `),
    );
    expect(words(report)).toContain(sentence);
  });

  it('shows what stopped it before anything else: the fail, its domain, its correction; then what could not be told', () => {
    const said = words(FAILING);
    const order = [
      'What stopped it at gate 2, Kubernetes and storage',
      'No system pod is pending',
      'kube-system/coredns-7d9f : CrashLoopBackOff, 14 restarts',
      'Smallest correction Raise the memory limit of deployment coredns in kube-system :',
      'fault domain kubernetes code CHECK_FAILED',
      'Every claim is bound: it did not come to an end in its time.',
      'rackwright acceptance run --from 2 --of run-1',
      'Time line',
      'All gates',
    ].map((text) => said.indexOf(text));
    expect(order).not.toContain(-1);
    expect(order).toEqual([...order].sort((a, b) => a - b));
  });

  it('of a held run says how to go on', () => {
    expect(words(HELD)).toContain('rackwright acceptance resume run-1');
    expect(words(HELD)).not.toContain('rackwright acceptance run --from');
  });

  it('has all seven gates in its strip, also those that are no part of the run', () => {
    const strip = /<ol class="strip"[^]*?<\/ol>/.exec(
      html({ ...PASSING, gates: PASSING.gates.slice(0, 2) }),
    )![0];
    expect(strip.match(/<li /g)).toHaveLength(7);
    expect(strip.match(/✓<\/span> pass/g)).toHaveLength(2);
    expect(strip.match(/not taken/g)).toHaveLength(5);
  });

  it('tells a gate that was left out from the green ones, and why', () => {
    const why = 'outside of the maintenance windows; the next opens Tue 2026-12-01 01:00.';
    const strip = /<ol class="strip"[^]*?<\/ol>/.exec(html(LEFT_OUT))![0];
    expect(strip.match(/✓<\/span> pass/g)).toHaveLength(6);
    expect(strip).toMatch(
      /left out<\/span>[^]*Physical acceptance[^]*It is outside of the maintenance windows/,
    );
    expect(words(LEFT_OUT)).toContain(`Gates 1, 2, 3, 4, 5, 6 are green. Gate 7 was left out: it is ${why}`);
    expect(words(LEFT_OUT)).not.toContain('All seven');
    const two = { ...LEFT_OUT, gates: [LEFT_OUT.gates[0]!, LEFT_OUT.gates[6]!] };
    expect(words(two)).toContain(
      `Gate 1 is green; this run took no other. Gate 7 was left out: it is ${why}`,
    );
  });

  it('tells how long a check took, and where it was made from', () => {
    const [gate] = PASSING.gates;
    const check = { ...gate!.checks[0]!, from: 'where `handOver` says', endedAt: '2026-11-30T03:00:00.400Z' };
    const page = html({ ...PASSING, gates: [{ ...gate!, checks: [check] }] });
    expect(page).toContain(
      '<td class="f">where <code>handOver</code> says</td><td class="t">03:00:00, under 1 s</td>',
    );
  });

  it('writes how long a check took within its bar, where there is no room beside it', () => {
    const [gate] = PASSING.gates;
    const [first] = gate!.checks;
    const at = (seconds: number): string =>
      new Date(Date.parse(PASSING.startedAt) + seconds * 1000).toISOString();
    const check = (id: string, from: number, to: number) => ({
      ...first!,
      id,
      startedAt: at(from),
      endedAt: at(to),
    });
    const checks = [check('long', 0, 60), check('late', 55, 60), check('early', 0, 5)];
    const page = html({ ...PASSING, endedAt: at(60), gates: [{ ...gate!, checks }] });
    expect(page.match(/class="took within" style="right:0\.00%"/g)).toHaveLength(1);
    expect(page.match(/class="took" style="(right|left)/g)).toHaveLength(2);
  });

  it('marks evidence that is kept, with its age', () => {
    expect(words(KEPT)).toContain(
      'evidence of 2026-11-29 03:00:12 UTC, of run run-0: 23 h 59 min older than this run',
    );
    expect(words(KEPT)).toContain(
      'evidence of 2026-11-30 03:00:32 UTC, kept: not run again after the correction',
    );
    expect(words(KEPT)).toContain('ran 3 times');
    expect(words(KEPT)).toContain('Between dashed lines nothing ran, for 2 d: drawn shorter than it was.');
  });

  it('says whether it is signed, and how that is verified; and why it is not', () => {
    expect(words(PASSING)).toContain(`ed25519, key ${'d'.repeat(64)}`);
    expect(words(PASSING)).toContain('rackwright evidence verify run-1 --key PUBLIC.pem');
    expect(words(FAILING)).toContain('unsigned. The contract names no key: acceptance.signingKey .');
    expect(words(HELD)).toContain('Signature made when the run is over');
  });

  it('tells what ended the run where no check did', () => {
    const gone = failure('HOLD_EXPIRED', 'No one resumed it within 60 s.', { faultDomain: 'kubernetes' });
    const said = words({ ...FAILING, failure: gone });
    expect(said.indexOf('No one resumed it within 60 s.')).toBeGreaterThan(0);
    expect(said.indexOf('No one resumed it')).toBeLessThan(said.indexOf('CrashLoopBackOff'));
    expect(words(UNOPENED)).toContain('Start a run without from and of : all gates run.');
  });

  it('of an aborted run shows what could not be taken back, and of one that goes on what was found so far', () => {
    const { stoppedAt: _none, outcome: _outcome, failure: _failure, ...rest } = FAILING;
    const aborted = failure('ABORTED', 'Aborted: not now', {});
    expect(words({ ...rest, outcome: 'aborted', failure: aborted })).toMatch(
      /What ended it .*Aborted: not now.*CrashLoopBackOff.*Time line/,
    );
    expect(words(rest)).toMatch(/What was found so far .*CrashLoopBackOff.*Time line/);
  });

  it('shows the evidence of what failed, and says where it was altered', () => {
    const [id] = ['lab/_acceptance/run-1/0007-system-pods.coredns'];
    const piece = {
      asked: 'GET /pods',
      of: 'coredns',
      from: 'kubernetes API',
      at: MADE,
      answer: { restarts: '<14>' },
    };
    const page = reportHtml(FAILING, { madeAt: MADE, pieces: new Map([[id, piece]]) });
    expect(page).toContain('<pre>{\n  &quot;restarts&quot;: &quot;&lt;14&gt;&quot;\n}</pre>');
    const altered = reportHtml(FAILING, { madeAt: MADE, pieces: new Map([[id, 'altered' as const]]) });
    expect(altered).toContain('coredns is not what was stored.');
  });

  it('runs and loads nothing, whatever a device has said', () => {
    const page = html(HOSTILE);
    expect(page).toContain("default-src 'none'; style-src 'unsafe-inline'");
    const tags = page.match(/<[a-z][^>]*>/g)!;
    expect(tags.filter((tag) => /^<(script|img|link|iframe|object|embed|a|form|base)\b/.test(tag))).toEqual(
      [],
    );
    expect(tags.filter((tag) => /\s(src|href|on\w+)\s*=/.test(tag.replaceAll(/"[^"]*"/g, '""')))).toEqual([]);
    expect(/@import|url\(/.test(page)).toBe(false);
    expect(page).toContain('&lt;script&gt;alert(0)&lt;/script&gt;');
    // oxlint-disable-next-line no-control-regex
    expect(page).not.toMatch(/[\u0000-\u0008\u202a-\u202e]/);
  });

  it('of ten findings shows the first, those together that one correction mends, and keeps the others', () => {
    const page = html(HOSTILE);
    expect(words(HOSTILE)).toContain('4 more findings');
    expect(page.match(/Give the cluster/g)).toHaveLength(1);
    expect(page.match(/Look into pod 9/g)).toHaveLength(1);
  });
});

/** Contrast of WCAG 2: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrast(one: string, other: string): number {
  const luminance = (colour: string): number => {
    const [red, green, blue] = [1, 3, 5]
      .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
  };
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light! + 0.05) / (dark! + 0.05);
}

test('black on white has the contrast that the formula is known by', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
});

describe.each([
  ['light', LIGHT],
  ['dark', DARK],
])('in %s, text can be read', (_name, palette) => {
  test.each(PAIRS)('%s on %s', (text, ground) => {
    expect(contrast(palette[text], palette[ground])).toBeGreaterThanOrEqual(4.5);
  });
});
