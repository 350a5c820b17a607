import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { fail } from '../core/errors/failure.ts';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

/** Settings that both processes have. */
export interface ProcessConfig {
  readonly address: string | undefined;
  readonly namespace: string | undefined;
  readonly dataDir: string;
  readonly inventory: string;
  readonly allowExec: boolean;
  readonly logLevel: (typeof LEVELS)[number];
}

/** Settings of the worker. */
export interface WorkerConfig extends ProcessConfig {
  /** How many activities run at a time. @default 100 */
  readonly activitySlots: number;
  /** How many workflow tasks run at a time. @default 16 */
  readonly workflowSlots: number;
  /** `host:port` of a Prometheus endpoint; undefined: none. */
  readonly metrics: string | undefined;
}

/** Settings of the gateway. */
export interface GatewayConfig extends ProcessConfig {
  readonly listen: { readonly host: string; readonly port: number };
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Collects every problem, so that all are told at once. */
class Settings {
  readonly problems: string[] = [];
  readonly #flags: Readonly<Record<string, string | boolean | undefined>>;
  readonly #env: Environment;

  constructor(args: readonly string[], env: Environment, own: readonly string[]) {
    this.#env = env;
    const strings = ['address', 'namespace', 'data-dir', 'inventory', 'log-level', ...own];
    try {
      const { values } = parseArgs({
        args: [...args],
        options: {
          ...Object.fromEntries(strings.map((name) => [name, { type: 'string' as const }])),
          'allow-exec': { type: 'boolean' },
        },
      });
      this.#flags = values as Record<string, string | boolean | undefined>;
    } catch (error) {
      this.problems.push((error as Error).message);
      this.#flags = {};
    }
  }

  text(flag: string, variable?: string): string | undefined {
    const given = this.#flags[flag] ?? (variable === undefined ? undefined : this.#env[variable]);
    return typeof given === 'string' && given !== '' ? given : undefined;
  }

  yes(flag: string, variable: string): boolean {
    return this.#flags[flag] === true || ['1', 'true', 'yes'].includes(this.#env[variable] ?? '');
  }

  count(flag: string, variable: string, fallback: number): number {
    const given = this.text(flag, variable);
    if (given === undefined) return fallback;
    const value = Number(given);
    if (Number.isInteger(value) && value >= 1 && value <= 10_000) return value;
    this.problems.push(`--${flag} (${variable}) must be a whole number from 1 to 10000`);
    return fallback;
  }

  file(flag: string, variable: string): string | undefined {
    const path = this.text(flag, variable);
    if (path !== undefined && !existsSync(path)) {
      this.problems.push(`--${flag} (${variable}) names ${path}, which is not there`);
    }
    return path;
  }

  common(): ProcessConfig {
    const inventory = this.file('inventory', 'RACKWRIGHT_INVENTORY');
    if (inventory === undefined) this.problems.push('--inventory (RACKWRIGHT_INVENTORY) is missing');
    const level = this.text('log-level', 'RACKWRIGHT_LOG_LEVEL') ?? 'info';
    const logLevel = LEVELS.find((each) => each === level);
    if (!logLevel)
      this.problems.push(`--log-level (RACKWRIGHT_LOG_LEVEL) must be one of ${LEVELS.join(', ')}`);
    return {
      address: this.text('address'),
      namespace: this.text('namespace'),
      dataDir: this.text('data-dir', 'RACKWRIGHT_DATA_DIR') ?? '.rackwright',
      inventory: inventory ?? '',
      allowExec: this.yes('allow-exec', 'RACKWRIGHT_ALLOW_EXEC'),
      logLevel: logLevel ?? 'info',
    };
  }

  /** The settings, if nothing is wrong. Throws CONFIGURATION_INVALID with all problems. */
  checked<T>(config: T): T {
    if (this.problems.length === 0) return config;
    throw fail('CONFIGURATION_INVALID', `${this.problems.join('; ')}.`);
  }
}

/** Throws CONFIGURATION_INVALID, naming every setting that is wrong. */
export function workerConfig(args: readonly string[], env: Environment): WorkerConfig {
  const settings = new Settings(args, env, ['activity-slots', 'workflow-slots', 'metrics']);
  const metrics = settings.text('metrics', 'RACKWRIGHT_METRICS');
  if (metrics !== undefined && !hostAndPort(metrics)) {
    settings.problems.push('--metrics (RACKWRIGHT_METRICS) must be host:port');
  }
  return settings.checked({
    ...settings.common(),
    activitySlots: settings.count('activity-slots', 'RACKWRIGHT_ACTIVITY_SLOTS', 100),
    workflowSlots: settings.count('workflow-slots', 'RACKWRIGHT_WORKFLOW_SLOTS', 16),
    metrics,
  });
}

/** Throws CONFIGURATION_INVALID, naming every setting that is wrong. */
export function gatewayConfig(args: readonly string[], env: Environment): GatewayConfig {
  const settings = new Settings(args, env, ['listen', 'tls-cert', 'tls-key']);
  const listen = hostAndPort(settings.text('listen', 'RACKWRIGHT_LISTEN') ?? '127.0.0.1:8300');
  if (!listen) settings.problems.push('--listen (RACKWRIGHT_LISTEN) must be host:port');
  const cert = settings.file('tls-cert', 'RACKWRIGHT_TLS_CERT');
  const key = settings.file('tls-key', 'RACKWRIGHT_TLS_KEY');
  if ((cert === undefined) !== (key === undefined)) {
    settings.problems.push('--tls-cert and --tls-key belong together');
  }
  return settings.checked({
    ...settings.common(),
    listen: listen ?? { host: '127.0.0.1', port: 8300 },
    tls: cert === undefined || key === undefined ? undefined : { cert, key },
  });
}

/** `host:port` or `[v6]:port`; port 0 is any free one. */
function hostAndPort(text: string): { host: string; port: number } | undefined {
  const match = /^(?:\[([0-9a-fA-F:]+)\]|([^:\s]+)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  const host = match?.[1] ?? match?.[2];
  return host !== undefined && port <= 65_535 ? { host, port } : undefined;
}
