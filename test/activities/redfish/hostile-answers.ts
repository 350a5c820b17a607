import { gzipSync } from 'node:zlib';
import type { ErrorCode } from '../../../core/errors/catalogue.ts';
import type { Handler } from './scripted-bmc.ts';

/** How much of an answer may have been sent before the client has hung up: its bound, and what sockets hold. */
export const MOST_BYTES = 32 * 1024 * 1024;

/** What hostile answers have sent, as far as the sockets took it. */
export const sent = { bytes: 0 };

/** Writes pieces to the bare connection for as long as somebody takes them. */
const bare =
  (head: string, piece: string | Buffer, pauseMs: number): Handler =>
  (_call, res) => {
    const socket = res.socket!;
    const more = (): void => {
      if (socket.destroyed) return;
      sent.bytes += piece.length;
      if (socket.write(piece)) setTimeout(more, pauseMs);
      else socket.once('drain', more);
    };
    socket.on('error', () => undefined);
    socket.write(head);
    more();
  };

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const MIB = Buffer.alloc(1024 * 1024, 32);
const PACKED = gzipSync(Buffer.alloc(64 * 1024 * 1024, 32));
const whole = (type: string, body: string | Buffer, status = 200): Handler => {
  const head = `HTTP/1.1 ${status} OK\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n`;
  return (_call, res) => {
    res.socket!.write(head);
    res.socket!.write(body);
  };
};
const chunk = (text: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${text.length.toString(16)}\r\n`), Buffer.from(text), Buffer.from('\r\n')]);

export interface Hostile {
  readonly name: string;
  readonly answer: Handler;
  readonly code: ErrorCode;
  /** As an answer to a write it is a success: only who reads needs a resource. */
  readonly readsOnly?: true;
}

const LOST = 'BMC_CONNECTION_LOST';
const INVALID = 'BMC_ANSWER_INVALID';

export const HOSTILE: readonly Hostile[] = [
  { name: 'never answers', answer: () => undefined, code: LOST },
  { name: 'drips its status line', answer: bare('HTTP/1.1 200 ', 'O', 20), code: LOST },
  { name: 'drips its headers', answer: bare(`${HEAD}x-drip: `, 'x', 20), code: LOST },
  {
    name: 'sends headers without end',
    answer: bare(HEAD, `x-more: ${'y'.repeat(1024)}\r\n`, 0),
    code: INVALID,
  },
  { name: 'drips its body', answer: bare(`${HEAD}content-length: 1000000\r\n\r\n`, ' ', 20), code: LOST },
  {
    name: 'sends a gibibyte',
    answer: bare(`${HEAD}content-length: ${2 ** 30}\r\n\r\n`, MIB, 0),
    code: INVALID,
  },
  {
    name: 'sends chunks without end',
    answer: bare(`${HEAD}transfer-encoding: chunked\r\n\r\n`, chunk(MIB), 0),
    code: INVALID,
  },
  {
    name: 'sends a body without a length or an end',
    answer: bare(`${HEAD}connection: close\r\n\r\n`, MIB, 0),
    code: INVALID,
  },
  {
    name: 'streams events',
    answer: bare(
      'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n',
      chunk('data: {}\n\n'),
      20,
    ),
    code: LOST,
  },
  { name: 'says 100 Continue without end', answer: bare('', 'HTTP/1.1 100 Continue\r\n\r\n', 1), code: LOST },
  {
    name: 'says 103 Early Hints without end',
    answer: bare('', 'HTTP/1.1 103 Early Hints\r\n\r\n', 1),
    code: LOST,
  },
  {
    name: 'switches the protocol',
    answer: (_call, res) =>
      void res.socket!.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    code: LOST,
  },
  {
    name: 'does not speak HTTP',
    answer: (_call, res) => void res.socket!.end('nonsense\r\n\r\n'),
    code: INVALID,
  },
  {
    name: 'gives two lengths',
    answer: (_call, res) => void res.socket!.end(`${HEAD}content-length: 2\r\ncontent-length: 3\r\n\r\n{}x`),
    code: LOST,
  },
  {
    name: 'closes in the middle of its body',
    answer: (_call, res) => void res.socket!.end(`${HEAD}content-length: 100\r\n\r\n{"Id":`),
    code: LOST,
  },
  {
    name: 'packs 64 MiB into little',
    answer: (_call, res) => {
      res.socket!.write(`${HEAD}content-encoding: gzip\r\ncontent-length: ${PACKED.length}\r\n\r\n`);
      res.socket!.write(PACKED);
    },
    code: INVALID,
  },
  {
    name: 'packs it many times over',
    answer: (_call, res) => {
      const packed = gzipSync(gzipSync(Buffer.alloc(1024 * 1024, 32)));
      res.socket!.write(`${HEAD}content-encoding: gzip, gzip\r\ncontent-length: ${packed.length}\r\n\r\n`);
      res.socket!.write(packed);
    },
    code: INVALID,
    readsOnly: true,
  },
  {
    name: 'nests a hundred thousand levels',
    answer: whole('application/json', '['.repeat(100_000) + ']'.repeat(100_000)),
    code: INVALID,
  },
  {
    name: 'sends HTML',
    answer: whole('text/html', '<html><body>Login</body></html>'),
    code: INVALID,
    readsOnly: true,
  },
  { name: 'sends a list', answer: whole('application/json', '[1]'), code: INVALID, readsOnly: true },
  { name: 'sends nothing', answer: whole('application/json', ''), code: INVALID, readsOnly: true },
];
