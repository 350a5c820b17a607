import type { CheckFunction } from '../check.ts';

/** The checks of gate 7, whichever way users of the site get a server. */
export const PHYSICAL_IDS = [
  'node-available',
  'server-requested',
  'agent-called-back',
  'image-written',
  'first-boot',
  'guest-reached',
  'server-active',
  'console',
  'states-captured',
  'server-released',
] as const;
export type PhysicalId = (typeof PHYSICAL_IDS)[number];

/** A way by which users of a site get a server: how each check is made there. */
export type Path = { readonly [id in PhysicalId]: CheckFunction };
