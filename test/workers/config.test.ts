import { expect, test } from 'vitest';
import { gatewayConfig, workerConfig } from '../../workers/config.ts';

const file = import.meta.filename;

test('every problem is told at once', () => {
  expect(() =>
    workerConfig(['--log-level', 'loud', '--activity-slots', '0', '--metrics', 'here'], {
      RACKWRIGHT_INVENTORY: '/nowhere/site.yaml',
      RACKWRIGHT_WORKFLOW_SLOTS: 'many',
    }),
  ).toThrow(
    expect.objectContaining({
      failure: expect.objectContaining({
        code: 'CONFIGURATION_INVALID',
        message:
          '--metrics (RACKWRIGHT_METRICS) must be host:port; ' +
          '--inventory (RACKWRIGHT_INVENTORY) names /nowhere/site.yaml, which is not there; ' +
          '--log-level (RACKWRIGHT_LOG_LEVEL) must be one of trace, debug, info, warn, error, fatal; ' +
          '--activity-slots (RACKWRIGHT_ACTIVITY_SLOTS) must be a whole number from 1 to 10000; ' +
          '--workflow-slots (RACKWRIGHT_WORKFLOW_SLOTS) must be a whole number from 1 to 10000.',
      }) as object,
    }) as Error,
  );
});

test('flags win over the environment', () => {
  const env = { RACKWRIGHT_INVENTORY: file, RACKWRIGHT_DATA_DIR: '/env', RACKWRIGHT_ALLOW_EXEC: '1' };
  expect(workerConfig(['--data-dir', '/flag', '--address', 'a:1'], env)).toEqual({
    address: 'a:1',
    namespace: undefined,
    dataDir: '/flag',
    inventory: file,
    allowExec: true,
    logLevel: 'info',
    activitySlots: 100,
    workflowSlots: 16,
    metrics: undefined,
  });
});

test('the gateway: where it listens, with or without a certificate', () => {
  const env = { RACKWRIGHT_INVENTORY: file };
  expect(gatewayConfig([], env)).toMatchObject({ listen: { host: '127.0.0.1', port: 8300 }, tls: undefined });
  const given = ['--listen', '[::1]:0', '--tls-cert', file, '--tls-key', file];
  expect(gatewayConfig(given, env)).toMatchObject({
    listen: { host: '::1', port: 0 },
    tls: { cert: file, key: file },
  });
  expect(() => gatewayConfig(['--listen', 'nowhere', '--tls-cert', file], env)).toThrow(
    '--listen (RACKWRIGHT_LISTEN) must be host:port; --tls-cert and --tls-key belong together.',
  );
  expect(() => gatewayConfig(['--frob'], env)).toThrow(/Unknown option '--frob'/);
});
