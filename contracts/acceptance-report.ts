import { z } from 'zod';
import { CHECK_OUTCOMES, SIGNATURE_ALGORITHMS } from '../core/acceptance/report.ts';
import { FAULT_DOMAINS } from '../core/fault-domains.ts';
import type { JsonObject } from '../core/json.ts';
import { OUTCOMES } from '../core/operations.ts';

/**
 * The report of an acceptance run, for programs that read it: the result of workflow `acceptance`, its query `report`,
 * and `rackwright acceptance report --format json`. Fields may be added; none changes its meaning.
 */

const Time = z.iso.datetime();
const Hash = z.string().regex(/^[0-9a-f]{64}$/);
const GateNumber = z.int().min(1).max(7);
const State = z.enum(['pending', 'running', 'done', 'held-back']);
const CheckOutcome = z.enum(CHECK_OUTCOMES);

const Failure = z.strictObject({
  code: z.string().regex(/^[A-Z][A-Z0-9_]+$/),
  faultDomain: z.enum(FAULT_DOMAINS),
  message: z.string(),
  /** The smallest correction, as an instruction. */
  correction: z.string(),
  retryable: z.boolean(),
  details: z.record(z.string(), z.json()).optional(),
});

const EvidenceRef = z.strictObject({
  id: z.string(),
  name: z.string(),
  sha256: Hash,
  bytes: z.int().min(0),
});

const CheckReport = z.strictObject({
  id: z.string(),
  title: z.string(),
  state: State,
  from: z.string(),
  outcome: CheckOutcome.optional(),
  summary: z.string().optional(),
  findings: z.array(z.strictObject({ target: z.string(), failure: Failure })).optional(),
  targets: z.int().min(0).optional(),
  startedAt: Time.optional(),
  endedAt: Time.optional(),
  evidence: z.array(EvidenceRef).optional(),
  requirements: z.array(z.string()).optional(),
});

const GateReport = z.strictObject({
  gate: GateNumber,
  id: z.string(),
  title: z.string(),
  owner: z.string(),
  state: State,
  outcome: CheckOutcome.optional(),
  startedAt: Time.optional(),
  endedAt: Time.optional(),
  runs: z.int().min(0),
  kept: z.strictObject({ runId: z.string(), endedAt: Time }).optional(),
  /** Why none of its checks was made: it was no time for it. */
  leftOut: z.string().optional(),
  checks: z.array(CheckReport),
});

const Signature = z.discriminatedUnion('signed', [
  z.strictObject({ signed: z.literal(true), keyId: Hash, algorithm: z.enum(SIGNATURE_ALGORITHMS) }),
  z.strictObject({ signed: z.literal(false), why: z.string() }),
]);

/** No field is left out here that a report has: a test holds it so. */
export const AcceptanceReport = z.strictObject({
  site: z.string(),
  runId: z.string(),
  startedAt: Time,
  endedAt: Time.optional(),
  held: z.boolean(),
  outcome: z.enum(OUTCOMES).optional(),
  failure: Failure.optional(),
  stoppedAt: GateNumber.optional(),
  gates: z.array(GateReport),
  notes: z.array(z.string()),
  contractHash: Hash.optional(),
  fingerprint: Hash.optional(),
  evidence: z.array(EvidenceRef),
  signature: Signature.optional(),
});

/** The JSON Schema (2020-12) of a report. It leaves room for fields that are added later. */
export const acceptanceReportSchema = (): JsonObject => ({
  title: 'Rackwright acceptance report',
  ...(z.toJSONSchema(AcceptanceReport, {
    target: 'draft-2020-12',
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  }) as JsonObject),
});
