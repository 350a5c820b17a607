import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { temporal } from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { workflowBundle } from './support.ts';

const FOLDER = 'test/histories';
const kept = (await readdir(FOLDER)).filter((name) => name.endsWith('.json.gz'));

const { History } = temporal.api.history.v1;
type History = temporal.api.history.v1.History;

async function load(name: string): Promise<{ workflowId: string; history: History }> {
  const text = (await promisify(gunzip)(await readFile(join(FOLDER, name)))).toString();
  const { workflowId, history } = JSON.parse(text) as { workflowId: string; history: object };
  return { workflowId, history: History.fromObject(history) };
}

describe('kept histories', () => {
  it('are there for entities, one of them watched, for the watch, for acceptance, and for operations that passed, were held, aborted and cleaned up', () => {
    expect(kept.map((name) => name.replace('.json.gz', '')).sort()).toEqual([
      'abort',
      'acceptance',
      'cleanup',
      'deploy',
      'held',
      'nightly',
      'node',
      'refused',
      'seen',
      'watch',
    ]);
  });

  it.each(kept)('%s: runs as it did', async (name) => {
    const { workflowId, history } = await load(name);
    expect(history.events!.length).toBeGreaterThan(3);
    await Worker.runReplayHistory({ workflowBundle: await workflowBundle() }, history, workflowId);
  });

  it('tell an operation that does things in another order', async () => {
    const workflows = await workflowBundle('test/workflows/fixtures/reordered');
    const { workflowId, history } = await load('deploy.json.gz');
    const replay = Worker.runReplayHistory({ workflowBundle: workflows }, history, workflowId);
    await expect(replay).rejects.toThrow(/TMPRL1100|[Nn]ondeterminism/);
  });
});

describe('the bundle of the workflows', () => {
  it('holds core, workflows and the SDK, and nothing that touches the world', async () => {
    const { codePath } = await workflowBundle();
    const code = await readFile(codePath, 'utf8');
    const modules = [...code.matchAll(/^\/\*\*\*\/ "(\.\/[^"]+)":?/gm)].map(([, name]) => name!);
    expect(modules.length).toBeGreaterThan(50);
    const ours = modules.filter((name) => !name.startsWith('./node_modules/'));
    expect(ours.filter((name) => !/^\.\/(core|workflows)\//.test(name))).toEqual([]);
    expect(ours).toContain('./workflows/node-entity.ts');
    const foreign = modules
      .filter((name) => name.startsWith('./node_modules/'))
      .map((name) => /^\.\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(name)![1]!);
    expect([...new Set(foreign)].sort()).toEqual(
      expect.arrayContaining(['@temporalio/common', '@temporalio/workflow']),
    );
    expect(foreign.filter((name) => /^(zod|undici|pino|fastify|yaml)$/.test(name))).toEqual([]);
    const required = [...code.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name!);
    const builtins = required.filter((name) =>
      /^(node:|fs|path|crypto|net|http|os|child_process)/.test(name),
    );
    expect(builtins).toEqual([]);
    expect(modules.filter((name) => /\/(zod|activities|lab)\//.test(name))).toEqual([]);
  });
});
