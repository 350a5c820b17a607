import { asList, asObject, asText, textsOf } from './read.ts';
import { firstWords } from '../whole-words.ts';

/** One message of a Redfish error, a task or an action, as far as it could be read. */
export interface RedfishMessage {
  readonly id: string | null;
  readonly text: string | null;
  readonly args: readonly string[];
  readonly severity: 'OK' | 'Warning' | 'Critical' | null;
  readonly resolution: string | null;
  readonly properties: readonly string[];
}

const MAX_MESSAGES = 32;
const MAX_TEXT = 500;
const cap = (text: string | null): string | null => (text === null ? null : firstWords(text, MAX_TEXT));

function severityOf(value: unknown): RedfishMessage['severity'] {
  const text = asText(value)?.toLowerCase();
  if (text === 'critical' || text === 'error' || text === 'fatal') return 'Critical';
  if (text === 'warning') return 'Warning';
  return text === 'ok' || text === 'informational' || text === 'information' ? 'OK' : null;
}

/** Reads one message; a bare text counts as one. */
export function readMessage(value: unknown): RedfishMessage | null {
  if (typeof value === 'string') {
    const text = asText(value);
    return text === null
      ? null
      : { id: null, text: cap(text), args: [], severity: null, resolution: null, properties: [] };
  }
  const m = asObject(value);
  const message: RedfishMessage = {
    id: cap(asText(m['MessageId'] ?? m['MessageID'] ?? m['code'])),
    text: cap(asText(m['Message'] ?? m['message'])),
    args: textsOf(m['MessageArgs']).map((a) => cap(a)!),
    severity: severityOf(m['MessageSeverity'] ?? m['Severity']),
    resolution: cap(asText(m['Resolution'])),
    properties: textsOf(m['RelatedProperties']).map((p) => cap(p)!),
  };
  return message.id === null && message.text === null && message.args.length === 0 ? null : message;
}

const readAll = (value: unknown): RedfishMessage[] =>
  asList(typeof value === 'string' ? [value] : value)
    .slice(0, MAX_MESSAGES)
    .map(readMessage)
    .filter((m): m is RedfishMessage => m !== null);

/**
 * The messages of an error body: a list, an object instead of a list, on the error or on the top
 * level or beside the property it is about, or only `error.message`. Never throws.
 */
export function readMessages(body: unknown): RedfishMessage[] {
  const top = asObject(body);
  const error = asObject(top['error']);
  const found = [
    ...readAll(error['@Message.ExtendedInfo']),
    // What is accepted is told by some in the form of an error, under another name.
    ...['Accepted', 'Success'].flatMap((key) => readAll(asObject(top[key])['@Message.ExtendedInfo'])),
    ...readAll(top['@Message.ExtendedInfo']),
    ...readAll(top['Messages']),
    ...Object.keys(top)
      .filter((key) => key.indexOf('@Message.ExtendedInfo') > 0)
      .slice(0, MAX_MESSAGES)
      .flatMap((key) => readAll(top[key])),
  ].slice(0, MAX_MESSAGES);
  const own = readMessage(typeof top['error'] === 'string' ? top['error'] : error);
  if (own === null) return found;
  const uninformative = own.text === null || /see (@message\.)?extendedinfo/i.test(own.text);
  if (found.some((m) => m.text !== null) && uninformative) return found;
  return found.some((m) => m.text === own.text) ? found : [...found, own];
}

const RANK = { Critical: 3, Warning: 2, OK: 0 } as const;
const isGeneral = (m: RedfishMessage): boolean => m.id === null || /generalerror$/i.test(m.id);

/** The message that says most: the most severe one; among equals, the first that is not GeneralError. */
export function mostSevere(messages: readonly RedfishMessage[]): RedfishMessage | undefined {
  const score = (m: RedfishMessage): number =>
    (m.severity === null ? 1 : RANK[m.severity]) * 4 + (isGeneral(m) ? 0 : 2) + (m.text === null ? 0 : 1);
  return messages.reduce<RedfishMessage | undefined>(
    (best, m) => (best === undefined || score(m) > score(best) ? m : best),
    undefined,
  );
}

/** The last part of a MessageId: `Base.1.8.PropertyMissing` becomes `PropertyMissing`. */
export const messageKey = (id: string | null): string => id?.split('.').at(-1) ?? '';

/** Whether any message has this key, or matches the pattern with its id, text or arguments. */
export const anyMessage = (messages: readonly RedfishMessage[], pattern: RegExp): boolean =>
  messages.some(
    (m) => pattern.test(m.id ?? '') || pattern.test(m.text ?? '') || m.args.some((a) => pattern.test(a)),
  );

/** Which of the given property names the messages name: in arguments, related properties, or only in text. */
export function namedProperties(messages: readonly RedfishMessage[], names: readonly string[]): string[] {
  const names_ = (text: string, name: string): boolean =>
    new RegExp(`(^|[^A-Za-z])${name}($|[^A-Za-z])`).test(text);
  return names.filter((name) =>
    messages.some(
      (m) =>
        m.args.some((a) => names_(a, name)) ||
        m.properties.some((p) => names_(p, name)) ||
        names_(m.text ?? '', name),
    ),
  );
}
