/** Looks into values of unknown shape; nothing here throws. */
export type Tree = { readonly [key: string]: unknown };

export const tree = (value: unknown): Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Tree) : {};

export const items = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The host of an http(s) URL, without the brackets of IPv6. */
export function hostOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^https?:/i.test(value)) return undefined;
  try {
    return new URL(value).hostname.replace(/^\[|\]$/g, '');
  } catch {
    return undefined;
  }
}

export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host.startsWith('127.') || host === '::1';

export const isUnspecifiedHost = (host: string): boolean => host === '0.0.0.0' || host === '::';
