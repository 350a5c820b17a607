import { createReadStream, statSync, type Stats } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';

/** A web server for the files of one folder, as a conductor has one beside it: HEAD, GET, and parts of files. */
export interface StaticFiles {
  readonly url: string;
  close(): Promise<void>;
}

export async function serveFiles(root: string): Promise<StaticFiles> {
  const server = createServer((request, response) => {
    const path = join(
      root,
      normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://files').pathname)),
    );
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isFile() !== true) return void response.writeHead(404).end();
    if (request.method !== 'GET' && request.method !== 'HEAD') return void response.writeHead(405).end();
    send(response, path, found, request.headers.range, request.method === 'HEAD');
  });
  await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function send(
  response: ServerResponse,
  path: string,
  { size, mtime }: Stats,
  range: string | undefined,
  headOnly: boolean,
): void {
  const asked = /^bytes=(\d+)-(\d*)$/.exec(range ?? '');
  const start = asked === null ? 0 : Number(asked[1]);
  const end = Math.min(asked?.[2] ? Number(asked[2]) : size - 1, size - 1);
  if (start > end) {
    response.writeHead(asked === null ? 200 : 416, { 'content-range': `bytes */${size}` }).end();
    return;
  }
  response.writeHead(asked === null ? 200 : 206, {
    'content-type': 'application/octet-stream',
    'content-length': end - start + 1,
    'accept-ranges': 'bytes',
    'last-modified': mtime.toUTCString(),
    ...(asked === null ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }),
  });
  if (headOnly) response.end();
  else createReadStream(path, { start, end }).pipe(response);
}
