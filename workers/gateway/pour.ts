import { open } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';

/** What is read at once. Each answer holds two such pieces, and no more. */
const PIECE = 256 * 1024;

/** What becomes of a piece that begins at `offset` of the file. It may be used until it was sent. */
export type EachPiece = (piece: Uint8Array, offset: number) => Uint8Array;

/**
 * Sends bytes `start` to `end` (included) of a file, and ends the answer. One piece is read while the one before is
 * sent, into two buffers in turn: with a new one for each, collecting what is left of them costs more than sending.
 * An answer that cannot be brought to its end is destroyed: its reader must not take it for a whole one.
 *
 * @returns false if its reader went away
 */
export async function pour(
  file: { readonly path: string; readonly each?: EachPiece | undefined },
  { start, end }: { readonly start: number; readonly end: number },
  answer: ServerResponse,
): Promise<boolean> {
  const gone = new Promise<'gone'>((resolve) => answer.once('close', () => resolve('gone')));
  const send = (piece: Uint8Array): Promise<'gone' | undefined> => {
    const sent = new Promise<'gone' | undefined>((resolve) =>
      answer.write(piece, (error) => resolve(error ? 'gone' : undefined)),
    );
    return Promise.race([sent, gone]);
  };
  try {
    const handle = await open(file.path, 'r');
    try {
      const length = Math.min(PIECE, end + 1 - start);
      const buffers = [Buffer.allocUnsafeSlow(length), Buffer.allocUnsafeSlow(length)] as const;
      let sending: Promise<'gone' | undefined> = Promise.resolve(undefined);
      for (let at = start, turn: 0 | 1 = 0; at <= end; turn = turn === 0 ? 1 : 0) {
        const { bytesRead } = await handle.read(buffers[turn], 0, Math.min(length, end + 1 - at), at);
        if (bytesRead === 0) throw new Error(`the file ended ${end + 1 - at} bytes too early`);
        const piece = buffers[turn].subarray(0, bytesRead);
        if ((await sending) === 'gone') return false;
        sending = send(file.each?.(piece, at) ?? piece);
        at += bytesRead;
      }
      if ((await sending) === 'gone') return false;
    } finally {
      await handle.close();
    }
    answer.end();
    return true;
  } catch (error) {
    answer.destroy();
    throw error;
  }
}
