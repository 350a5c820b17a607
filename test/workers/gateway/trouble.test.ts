import { expect, it } from 'vitest';
import { startGateway } from './fixture.ts';

interface Line {
  readonly level: number;
  readonly code?: string;
  readonly node?: string;
  readonly leftOut?: number;
}
const WARN = 40;

it('warns of requests that were put off, once a minute for each node and code, and counts the others', async () => {
  let now = Date.now();
  const gateway = await startGateway({ deps: { rate: { perSecond: 0.001, burst: 2 }, now: () => now } });
  const lines = (): object[] =>
    gateway
      .logged()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Line)
      .filter(({ level, code }) => level === WARN && code !== undefined)
      .map(({ code, node, leftOut }) => ({ code, node, leftOut }));
  const ask = async (node: string, times: number): Promise<void> => {
    const url = `${gateway.url}/agent/${gateway.token(node, 'agent')}/`;
    for (let i = 0; i < times; i += 1) await fetch(url);
  };
  const first = { code: 'RATE_LIMITED', node: 'gpu-01', leftOut: 0 };
  try {
    await ask('gpu-01', 2);
    expect(lines()).toEqual([]);
    await ask('gpu-01', 50);
    expect(lines()).toEqual([first]);
    await ask('gpu-02', 3);
    expect(lines()).toEqual([first, { ...first, node: 'gpu-02' }]);
    now += 60_000;
    await ask('gpu-01', 5);
    expect(lines()).toEqual([first, { ...first, node: 'gpu-02' }, { ...first, leftOut: 49 }]);
    gateway.operations.down = true;
    await fetch(`${gateway.url}/media/${gateway.token('gpu-01', 'media')}/gpu-01.iso`);
    expect(lines().at(-1)).toEqual({ code: 'GATEWAY_UNAVAILABLE', node: 'gpu-01', leftOut: 0 });
  } finally {
    await gateway.close();
  }
});
