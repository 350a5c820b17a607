#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { startLab } from './lab.ts';

const USAGE = `usage: lab --data-dir DIR [--port N] [--servers 50] [--speed 1]
           [--gateway-url http://127.0.0.1:PORT] [--host 127.0.0.1]
           [--control-plane] [--openstack]`;

function wrongUsage(message: string): never {
  console.error(`lab: ${message}\n${USAGE}`);
  process.exit(2);
}

function options() {
  try {
    return parseArgs({
      options: {
        'data-dir': { type: 'string' },
        port: { type: 'string' },
        servers: { type: 'string' },
        speed: { type: 'string' },
        'gateway-url': { type: 'string' },
        host: { type: 'string' },
        'control-plane': { type: 'boolean' },
        openstack: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    return wrongUsage((error as Error).message);
  }
}

function number(name: string, given: string | undefined, least: number, most: number): number | undefined {
  if (given === undefined) return undefined;
  const value = Number(given);
  return value >= least && value <= most ? value : wrongUsage(`--${name} takes ${least} to ${most}`);
}

const given = options();
const dataDir = given['data-dir'] ?? wrongUsage('--data-dir is missing');
if (given.host !== undefined && !/^127\.\d+\.\d+\.\d+$/.test(given.host))
  wrongUsage('--host takes a loopback address');

try {
  const lab = await startLab({
    dataDir,
    port: number('port', given.port, 1, 65_535),
    servers: number('servers', given.servers, 0, 2000),
    speed: number('speed', given.speed, 0.01, 1000),
    gatewayUrl: given['gateway-url'],
    host: given.host,
    controlPlane: given['control-plane'] || given.openstack,
    openstack: given.openstack,
  });
  console.log(`lab ready ${JSON.stringify({ controlUrl: lab.controlUrl, inventory: lab.inventory })}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void lab.close().then(() => process.exit(0)));
} catch (error) {
  const { code, port } = error as { code?: string; port?: number };
  console.error(code === 'EADDRINUSE' ? `lab: port ${port} is taken` : `lab: ${(error as Error).message}`);
  process.exit(3);
}
