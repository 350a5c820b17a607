import { listOf, parseFields, pattern, required, type Field, type Parsed } from './fields.ts';
import type { JsonObject } from './json.ts';
import type { AgentHeartbeat, AgentLookup } from './operations.ts';

const EPOCH: Field = required({
  expects: 'a whole number above 0',
  required: true,
  accepts: (value) => Number.isSafeInteger(value) && (value as number) > 0,
});
const MAC = pattern(/^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/, 'a MAC address in lower case');

/** Parses what the gateway says of an agent's lookup. */
export function parseAgentLookup(input: unknown): Parsed<AgentLookup> {
  const parsed = parseFields(input, { epoch: EPOCH, macs: required(listOf(MAC, 256)) });
  return parsed.ok ? { ok: true, value: parsed.value as unknown as AgentLookup } : parsed;
}

/** Parses what the gateway says of an agent's heartbeat. */
export function parseAgentHeartbeat(input: unknown): Parsed<AgentHeartbeat> {
  const parsed = parseFields(input, {
    epoch: EPOCH,
    callbackUrl: required(pattern(/^https:\/\/[^\s]{1,500}$/, 'an https URL')),
    certificate: required(pattern(/^-----BEGIN CERTIFICATE-----[\s\S]{1,16000}$/, 'a PEM certificate')),
    version: required(pattern(/^[\w.+-]{1,64}$/, "the agent's version")),
  });
  return parsed.ok ? { ok: true, value: parsed.value as unknown as AgentHeartbeat } : parsed;
}

/** What the gateway takes of a guest, and the moment that it adds. */
const FIRST_BOOT_LIMIT = 16 * 1024 + 64;

/** Parses a guest's first-boot report: any JSON object of up to 16 KB. */
export function parseFirstBoot(input: unknown): Parsed<JsonObject> {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  if (!isObject || JSON.stringify(input).length > FIRST_BOOT_LIMIT) {
    return {
      ok: false,
      problem: { field: '(message)', message: 'must be one JSON object of at most 16 KB' },
    };
  }
  return { ok: true, value: input as JsonObject };
}
