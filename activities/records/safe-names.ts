import { fail } from '../../core/errors/failure.ts';
import { isName, isRequestId } from '../../core/names.ts';

const refuse = (what: string, value: unknown): never => {
  throw fail('STORE_NAME_INVALID', `This is not ${what}; nothing is stored or read under it.`, {
    details: { value: JSON.stringify(value)?.slice(0, 100) ?? 'undefined' },
  });
};

/** A site's or node's name that is safe as the name of a folder. Throws STORE_NAME_INVALID. */
export const safeName = (value: unknown): string => (isName(value) ? value : refuse('a name', value));

/** Whose evidence it is where it is that of no node: of an acceptance run. No node can be called so. */
export const ACCEPTANCE_SUBJECT = '_acceptance';

/** A node's name, or the subject of acceptance runs. Throws STORE_NAME_INVALID. */
export const safeSubject = (value: unknown): string =>
  value === ACCEPTANCE_SUBJECT ? ACCEPTANCE_SUBJECT : safeName(value);

/** A requestId that is safe as the name of a folder. Throws STORE_NAME_INVALID. */
export const safeRequestId = (value: unknown): string =>
  isRequestId(value) ? value : refuse('a requestId', value);

/** A label (a step, a piece of evidence) that is safe within the name of a file. */
export const safeLabel = (value: unknown): string =>
  typeof value === 'string' && /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/.test(value)
    ? value
    : refuse('a label', value);
