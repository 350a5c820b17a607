import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: object;
  readonly volumes?: readonly string[];
  readonly ports?: readonly (string | { readonly published: unknown })[];
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: object;
}

const COMPOSE = 'docker-compose';

const compose = (env: Record<string, string>) =>
  spawnSync(COMPOSE, ['-f', 'docker-compose.yml', 'config'], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
  });

// The program is a package of Debian. Where all must be checked, its absence is a failure.
const missing = spawnSync(COMPOSE, ['version']).error !== undefined;
const skip = missing && process.env['CI'] !== 'true';

describe.skipIf(skip)('docker-compose.yml (needs the program docker-compose)', () => {
  const config = (env: Record<string, string> = {}): Compose => {
    const { status, stdout, stderr } = compose({ TEMPORAL_DB_PASSWORD: 'for-the-test', ...env });
    expect({ status, stderr }).toMatchObject({ status: 0 });
    return parse(stdout) as Compose;
  };

  it('is valid, and has what a site needs', () => {
    expect(Object.keys(config().services).sort()).toEqual([
      'gateway',
      'postgresql',
      'temporal',
      'temporal-namespace',
      'temporal-schema',
      'temporal-ui',
      'worker',
    ]);
  });

  it('asks for the password of the database by its name', () => {
    const { status, stderr } = compose({});
    expect(status).not.toBe(0);
    expect(stderr).toContain('TEMPORAL_DB_PASSWORD');
  });

  it('starts each service after what it needs', () => {
    const { services } = config();
    const after = (name: string) =>
      Object.entries(services[name]!.depends_on ?? {}).map(([on, { condition }]) => `${on} ${condition}`);
    expect(after('temporal-schema')).toEqual(['postgresql service_healthy']);
    expect(after('temporal')).toEqual(['temporal-schema service_completed_successfully']);
    expect(after('temporal-namespace')).toEqual(['temporal service_healthy']);
    expect(after('worker')).toEqual(['temporal-namespace service_completed_successfully']);
    expect(after('gateway')).toEqual(['temporal-namespace service_completed_successfully']);
  });

  it('watches what runs for long, and keeps what must last in volumes', () => {
    const { services, volumes } = config();
    for (const name of ['postgresql', 'temporal', 'worker', 'gateway']) {
      expect(services[name]!.healthcheck).toBeDefined();
    }
    expect(Object.keys(volumes).sort()).toEqual(['postgresql-data', 'rackwright-data']);
  });

  it('opens the namespace, which is operator access, to this host only', () => {
    for (const name of ['temporal', 'temporal-ui']) {
      expect(JSON.stringify(config().services[name]!.ports)).toContain('127.0.0.1');
    }
    expect(config().services['postgresql']!.ports).toBeUndefined();
  });

  it('passes no secret of the site in the environment: only references', () => {
    const { services } = config({ RACKWRIGHT_SITE_KEY: 'file:/run/rackwright/secrets/site.key' });
    for (const name of ['worker', 'gateway']) {
      expect(services[name]!.environment).toMatchObject({
        RACKWRIGHT_SITE_KEY: 'file:/run/rackwright/secrets/site.key',
        RACKWRIGHT_INVENTORY: '/etc/rackwright/minimal.yaml',
        TEMPORAL_ADDRESS: 'temporal:7233',
      });
      expect(JSON.stringify(services[name]!.environment)).not.toContain('for-the-test');
    }
  });

  it('mounts files that are there', () => {
    for (const { volumes } of Object.values(config().services)) {
      for (const volume of volumes ?? []) {
        const [from] = volume.split(':');
        if (from!.startsWith('/')) expect(existsSync(from!)).toBe(true);
      }
    }
  });
});

describe('the scripts of the deployment', () => {
  it.each(['schema.sh', 'namespace.sh'])('%s is a shell script that parses and stops at errors', (name) => {
    const path = join('deploy', 'temporal', name);
    expect(spawnSync('sh', ['-n', path]).status).toBe(0);
    expect(readFileSync(path, 'utf8')).toContain('set -eu');
  });
});

describe('the Dockerfile', () => {
  const lines = readFileSync('Dockerfile', 'utf8').split('\n');

  it('runs as no root, from a base of the Node.js that the package asks for', () => {
    expect(lines.filter((line) => line.startsWith('FROM ')).every((line) => line.includes('node:20'))).toBe(
      true,
    );
    expect(lines.findIndex((line) => line === 'USER node')).toBeGreaterThan(0);
  });

  it('copies what is in the repository', () => {
    const copied = lines
      .filter((line) => /^COPY (?!--from)/.test(line))
      .flatMap((line) => line.split(' ').slice(1, -1));
    for (const file of copied) expect(existsSync(file)).toBe(true);
  });
});
