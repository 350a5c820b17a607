import type { Faults } from '../faults.ts';
import type { Printed } from './ceph.ts';

/** `glance-manage db check`, by the exit codes that it documents. */
export const glanceCheck = (faults: Faults): Printed =>
  faults.on('migrationPending')
    ? {
        exitCode: 3,
        stdout: 'Your database is not up to date. Your first step is to run `glance-manage db expand`.\n',
        stderr: '',
      }
    : { exitCode: 0, stdout: 'Database is up to date. No upgrades needed.\n', stderr: '' };
