/** Lenient readers of what a service has answered: what is not of the kind counts as not told. */
export const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? (value as { readonly [field: string]: unknown })[name]
    : undefined;

export const items = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A time as services write it, in milliseconds; those that name no zone mean UTC. */
export function timeOf(value: unknown): number | undefined {
  const said = text(value);
  const at = Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(said) ? said : `${said}Z`);
  return Number.isNaN(at) ? undefined : at;
}
