import { createServer, type Server } from 'node:net';
import type { Cloud } from './cloud.ts';

/** The system that was deployed on the lab's machine, as others reach it. */
export interface Guest {
  /** Has it answer while its server is ACTIVE, and not otherwise. */
  update(): void;
  close(): Promise<void>;
}

/** It answers as an SSH server does first, at the address of the machine's first NIC. */
export function guestOf(cloud: Cloud, port: number): Guest {
  let listening: Server | undefined;
  const stop = async (): Promise<void> => {
    const ending = listening;
    listening = undefined;
    await new Promise<void>((resolve) => (ending === undefined ? resolve() : ending.close(() => resolve())));
  };
  return {
    update() {
      const [node] = cloud.state.nodes;
      const runs = cloud.state.servers.some(
        ({ node: on, status, task }) => on === node?.uuid && status === 'ACTIVE' && task !== 'deleting',
      );
      if (runs === (listening !== undefined)) return;
      const address = cloud.machine?.nics[0]?.address;
      if (!runs || address === undefined) return void stop();
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.end('SSH-2.0-OpenSSH_9.6p1 Ubuntu-3ubuntu13\r\n');
      });
      // Another program may have the port there: then this guest is silent.
      server.on('error', () => undefined);
      server.listen(port, address);
      listening = server;
    },
    close: stop,
  };
}
