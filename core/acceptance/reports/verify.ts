import { canonicalJson } from '../../canonical-json.ts';
import { isName, isRequestId } from '../../names.ts';
import type { AcceptanceReport } from '../report.ts';
import { testResultOf, type Statement, type Subject } from './statement.ts';

/** What keeps a run from being verified. */
export const PROBLEMS = {
  unsigned: 'There is no signed statement beside the evidence.',
  'envelope-unreadable': 'The signed statement is no DSSE envelope.',
  'payload-type': 'The envelope is of another payload type than in-toto statements are.',
  'signature-invalid': 'No signature is by the given key over what is there.',
  'statement-unreadable': 'What was signed is no statement about an acceptance run.',
  'another-run': 'The statement is about another run than the one that was asked for.',
  'file-altered': 'A file has other bytes than when it was signed.',
  'file-missing': 'A file that was signed is not there.',
  'file-added': 'A file is there that was not signed.',
  'piece-altered': 'A piece of evidence was altered before it was signed: it is not its own hash.',
  'report-unreadable': 'The report is not one, or is not its own hash.',
  'report-differs': 'Report and statement, or report and evidence, do not say the same.',
} as const;
export type ProblemKind = keyof typeof PROBLEMS;

export interface Problem {
  readonly kind: ProblemKind;
  /** Which file, where it is about one. */
  readonly file?: string;
  readonly message: string;
}

/** Whose evidence that of acceptance runs is. */
const RUNS = '_acceptance';
const REPORT = /^\d+-acceptance\.report\.json$/;

/** Where a piece lies in the store of evidence: that of a run, or of an operation on a node. */
export interface Place {
  readonly site: string;
  readonly subject: string;
  readonly requestId: string;
  readonly file: string;
}

/** A subject's name in its parts, `SITE/SUBJECT/ID/FILE`; undefined where it is no place in the store. */
export function placeOf(name: string): Place | undefined {
  const [site, subject, requestId, file = '', ...more] = name.split('/');
  if (!isName(site) || !isRequestId(requestId) || more.length > 0) return undefined;
  if (subject !== RUNS && !isName(subject)) return undefined;
  return /^[\w.-]+\.json$/.test(file) ? { site, subject, requestId, file } : undefined;
}

/** The one report that a statement is about: its name, and of which run it is. */
export function reportSubject({
  subject,
}: Statement): { readonly name: string; readonly site: string; readonly runId: string } | undefined {
  const reports = subject.flatMap(({ name }) => {
    const place = placeOf(name);
    return place?.subject === RUNS && REPORT.test(place.file)
      ? [{ name, site: place.site, runId: place.requestId }]
      : [];
  });
  return reports.length === 1 ? reports[0] : undefined;
}

/** Whether a piece lies with a run itself, and not with another run or an operation. */
export const isOfRun = ({ subject, requestId }: Place, runId: string): boolean =>
  subject === RUNS && requestId === runId;

/**
 * Compares what was signed with what is there.
 *
 * @param there SHA-256 of the bytes of every file that is there, by the name of its subject
 */
export function compareFiles(
  subjects: readonly Subject[],
  there: ReadonlyMap<string, string>,
): readonly Problem[] {
  const signed = new Set(subjects.map(({ name }) => name));
  return [
    ...subjects.flatMap(({ name, digest }): Problem[] => {
      const now = there.get(name);
      if (now === digest.sha256) return [];
      return now === undefined
        ? [{ kind: 'file-missing', file: name, message: `${name} was signed and is not there.` }]
        : [
            {
              kind: 'file-altered',
              file: name,
              message: `${name} was changed: its SHA-256 is ${now}, and ${digest.sha256} was signed.`,
            },
          ];
    }),
    ...[...there.keys()].filter((name) => !signed.has(name)).map((name) => added(name)),
  ];
}

/** A file that was not signed; `why`, where that is not to be seen from its name. */
export const added = (file: string, why?: string): Problem => ({
  kind: 'file-added',
  file,
  message: `${file} is there and was not signed${why === undefined ? '' : `: ${why}`}.`,
});

/**
 * Compares a report with the statement about it, and with the evidence that it points to.
 *
 * @param hashes the hash of each piece, by its id; null where it is another than the piece holds of itself
 */
export function compareReport(
  statement: Statement,
  report: AcceptanceReport,
  hashes: ReadonlyMap<string, string | null>,
): readonly Problem[] {
  const differs = (message: string): Problem => ({ kind: 'report-differs', message });
  const said =
    canonicalJson(statement.predicate) === canonicalJson(testResultOf(report))
      ? []
      : [differs(`The statement says ${statement.predicate.result}, and other checks than the report does.`)];
  const refs = report.gates.flatMap(({ checks }) => checks.flatMap(({ evidence = [] }) => evidence));
  return [
    ...said,
    ...[...hashes].flatMap(([id, hash]): Problem[] =>
      hash === null
        ? [
            {
              kind: 'piece-altered',
              file: `${id}.json`,
              message: `${id} was altered before it was signed: it is not what its own hash says.`,
            },
          ]
        : [],
    ),
    ...refs.flatMap(({ id, sha256 }) => {
      const hash = hashes.get(id);
      if (hash === sha256 || hash === null) return [];
      return [
        differs(
          hash === undefined
            ? `The report points to ${id}, and the statement is not about it.`
            : `The report points to ${id} with another hash than it has.`,
        ),
      ];
    }),
  ];
}
