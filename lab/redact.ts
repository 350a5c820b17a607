const SECRET_KEY = /pass(word)?$|token|secret|key$/i;

/** A copy without secrets: values of secret keys, and long opaque segments of URLs. */
export function redact(value: unknown, key = ''): unknown {
  if (SECRET_KEY.test(key) && value !== null && value !== undefined) return '[redacted]';
  if (typeof value === 'string') return redactUrl(value);
  if (Array.isArray(value)) return value.map((item) => redact(item));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, redact(v, k)]));
  return value;
}

/** Tokens in paths are what opens a door: they do not go into logs. */
export const redactUrl = (text: string): string =>
  text.replace(/\/\/[^/@\s]*@/g, '//[redacted]@').replace(/\/[\w.~=-]{32,}(?=\/|$|\s)/g, '/[redacted]');
