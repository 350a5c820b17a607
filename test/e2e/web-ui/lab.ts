import type { Product } from '../support/product.ts';

async function control(product: Product, path: string, init: RequestInit = {}): Promise<unknown> {
  const response = await fetch(`${product.urls.lab}/servers/${path}`, init);
  if (!response.ok) throw new Error(`the lab refused ${path}: ${await response.text()}`);
  return response.json();
}

/** Switches faults of a lab's server on; undefined: all off. */
export const setFaults = (
  product: Product,
  server: string,
  faults: Readonly<Record<string, number | boolean>> | undefined,
): Promise<unknown> =>
  control(
    product,
    `${server}/faults`,
    faults === undefined
      ? { method: 'DELETE' }
      : { method: 'PUT', body: JSON.stringify(faults), headers: { 'content-type': 'application/json' } },
  );

/** Whether anything really is in a drive of the server, or would boot from one. */
export async function hasMedia(product: Product, server: string): Promise<boolean> {
  const seen = (await control(product, server)) as {
    media: Record<string, { inserted: boolean }>;
    override: { enabled: string };
  };
  return Object.values(seen.media).some((drive) => drive.inserted) || seen.override.enabled !== 'Disabled';
}
