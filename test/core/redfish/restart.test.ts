import { expect, it } from 'vitest';
import { restartShown } from '../../../core/redfish/restart.ts';

const T1 = '2026-03-01T10:00:00Z';
const T2 = '2026-03-01T10:05:00Z';

it.each([
  ['a later reset', { PowerState: 'On', LastResetTime: T2 }, T1, 'the BMC tells of a later reset'],
  ['the same reset', { PowerState: 'On', LastResetTime: T1 }, T1, null],
  ['nobody knows the time before', { PowerState: 'On', LastResetTime: T2 }, null, null],
  ['no time', { PowerState: 'On' }, T1, null],
  ['off', { PowerState: 'Off', LastResetTime: T2 }, T1, null],
  [
    'POST',
    { PowerState: 'On', BootProgress: { LastState: 'MemoryInitializationStarted' } },
    null,
    'the host is starting (MemoryInitializationStarted)',
  ],
  ['up', { PowerState: 'On', BootProgress: { LastState: 'OSRunning' } }, null, null],
])('whether a host was restarted: %s', (_, system, before, shown) => {
  expect(restartShown(system, before)).toBe(shown);
});
