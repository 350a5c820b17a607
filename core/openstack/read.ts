/** Lenient readers of what a service has answered: what is not of the kind counts as not told. */
export const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? (value as { readonly [field: string]: unknown })[name]
    : undefined;

export const items = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
