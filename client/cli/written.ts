import { fail } from '../../core/errors/failure.ts';

/** Writes to where `--out` says. Throws INVALID_MESSAGE where the file system does not let it. */
export async function asAsked<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) throw error;
    const message = `out: ${path} cannot be written to: ${code}.`;
    throw fail(
      'INVALID_MESSAGE',
      message,
      { correction: 'Name a place that can be written to with --out.' },
      { cause: error },
    );
  }
}
