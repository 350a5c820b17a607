import { randomBytes } from 'node:crypto';

/** A requestId that sorts by time and that no one else has. */
export const newId = (): string =>
  `${new Date().toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}-${randomBytes(5).toString('hex')}`;
