import { fingerprint } from '../fingerprint.ts';
import type { Json } from '../json.ts';
import type { OperationReport } from '../operations.ts';
import { asObject, textsOf } from '../redfish/read.ts';
import { GATE_NUMBERS, gatesAgain, isGateNumber, type GateNumber } from './gates.ts';

/** What may start an acceptance run by itself, beside the nightly one. */
export const CAUSES = ['image-promoted', 'firmware-changed', 'hardware-changed'] as const;
export type Cause = (typeof CAUSES)[number];

/** The first gate that each may change the answer of; those that depend on it run, too. */
const FROM: { readonly [C in Cause]: GateNumber } = {
  'image-promoted': 5,
  'firmware-changed': 4,
  'hardware-changed': 4,
};

/** A change, and what tells it from others. */
export interface Change {
  readonly cause: Cause;
  /** The image or the node. */
  readonly subject: string;
  /** The same for the same change, however often it is seen. */
  readonly what: Json;
}

/** The id of the run that a change starts: one for each change. */
export const causedRunId = ({ cause, subject, what }: Change): string =>
  `${cause}-${subject}-${fingerprint(what)}`;

/** The gates that a change concerns, of those that the contract wants. */
export const causedGates = (
  { cause }: Pick<Change, 'cause'>,
  wanted: readonly number[] | undefined,
): GateNumber[] =>
  gatesAgain(FROM[cause], wanted?.filter(isGateNumber).sort((a, b) => a - b) ?? GATE_NUMBERS);

/** Findings that are of the contract, not of a change: they are there in each inspection. */
const OF_THE_CONTRACT = 'not as the contract says';

/**
 * What an operation found changed, or changed itself: firmware that it brought to its baseline, and what an
 * inspection found to differ from the one before. A first inspection is compared with nothing, and is no change.
 */
export function changesOf({
  node,
  requestId,
  outcome,
  data,
}: Pick<OperationReport, 'node' | 'requestId' | 'outcome' | 'data'>): Change[] {
  const findings = (Array.isArray(data['findings']) ? data['findings'] : [])
    .map(asObject)
    .filter(({ what }) => what !== OF_THE_CONTRACT);
  const seen = (cause: Cause, firmware: boolean): Change[] => {
    const own = findings.filter(({ faultDomain }) => (faultDomain === 'firmware') === firmware);
    const what = own.map(({ what: each, was, is }) => [String(each), String(was), String(is)]);
    return own.length === 0 ? [] : [{ cause, subject: node, what }];
  };
  const updated = outcome === 'pass' ? textsOf(data['toUpdate']) : [];
  return [
    ...(updated.length === 0
      ? seen('firmware-changed', true)
      : [{ cause: 'firmware-changed' as const, subject: node, what: { requestId, updated } }]),
    ...seen('hardware-changed', false),
  ];
}
