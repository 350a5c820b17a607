import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ACCEPTANCE_ERRORS } from '../../core/errors/acceptance.ts';
import { AGENT_ERRORS } from '../../core/errors/agent.ts';
import { BIOS_ERRORS } from '../../core/errors/bios.ts';
import { CATALOGUE, isErrorCode, type ErrorCode } from '../../core/errors/catalogue.ts';
import { CONTRACT_ERRORS } from '../../core/errors/contract.ts';
import { asFailure, fail, failure, notYet, RackwrightError } from '../../core/errors/failure.ts';
import { FIRMWARE_ERRORS } from '../../core/errors/firmware.ts';
import { HOST_ERRORS } from '../../core/errors/host.ts';
import { IRONIC_ERRORS } from '../../core/errors/ironic.ts';
import { KUBERNETES_ERRORS } from '../../core/errors/kubernetes.ts';
import { OPENSTACK_ERRORS } from '../../core/errors/openstack.ts';
import { ORCHESTRATOR_ERRORS } from '../../core/errors/orchestrator.ts';
import { REACHABILITY_ERRORS } from '../../core/errors/reachability.ts';
import { REDFISH_ERRORS } from '../../core/errors/redfish.ts';
import { SSH_ERRORS } from '../../core/errors/ssh.ts';
import { FAULT_DOMAINS } from '../../core/fault-domains.ts';

const rooms = [
  ORCHESTRATOR_ERRORS,
  CONTRACT_ERRORS,
  REDFISH_ERRORS,
  FIRMWARE_ERRORS,
  BIOS_ERRORS,
  AGENT_ERRORS,
  IRONIC_ERRORS,
  KUBERNETES_ERRORS,
  OPENSTACK_ERRORS,
  ACCEPTANCE_ERRORS,
  SSH_ERRORS,
  HOST_ERRORS,
  REACHABILITY_ERRORS,
];
const entries = Object.entries(CATALOGUE).map(([code, entry]) => ({ code, ...entry }));

describe.each(entries)('$code', ({ code, faultDomain, httpStatus, meaning, correction }) => {
  it('says what it means, whose it is and what to do', () => {
    expect(code).toMatch(/^[A-Z][A-Z0-9_]+$/);
    expect(FAULT_DOMAINS).toContain(faultDomain);
    for (const text of [meaning, correction]) {
      expect(text).toMatch(/^\S.{10,}[.?]$/);
      expect(text).not.toContain('  ');
    }
    expect(httpStatus).toBeGreaterThanOrEqual(400);
    expect(httpStatus).toBeLessThan(600);
  });
});

describe('the catalogue', () => {
  it('has each code in one room only', () => {
    const codes = rooms.flatMap((room) => Object.keys(room));
    expect(codes.filter((code, i) => codes.indexOf(code) !== i)).toEqual([]);
    expect([...codes].sort()).toEqual(Object.keys(CATALOGUE).sort());
  });

  it('knows its codes and nothing else', () => {
    for (const { code } of entries) expect(isErrorCode(code)).toBe(true);
    for (const other of ['toString', '__proto__', 'busy', '', null, undefined, 7, ['BUSY']]) {
      expect(isErrorCode(other)).toBe(false);
    }
  });

  it('has no code that nothing uses', async () => {
    const sources = [];
    for (const room of ['activities', 'client', 'contracts', 'core', 'workers', 'workflows']) {
      for (const file of await readdir(room, { recursive: true })) {
        if (!file.endsWith('.ts') || join(room, file).startsWith('core/errors/')) continue;
        sources.push(await readFile(join(room, file), 'utf8'));
      }
    }
    const text = sources.join('\n');
    expect(entries.map((entry) => entry.code).filter((code) => !text.includes(`'${code}'`))).toEqual([]);
  });
});

describe('a failure', () => {
  it('takes from the catalogue what it is not told', () => {
    const { faultDomain, correction, retryable } = CATALOGUE.BUSY;
    expect(failure('BUSY', 'm')).toEqual({ code: 'BUSY', message: 'm', faultDomain, correction, retryable });
    expect(failure('BUSY', 'm', { faultDomain: 'bmc', details: { x: 1 } })).toMatchObject({
      faultDomain: 'bmc',
      details: { x: 1 },
    });
  });

  it('goes through JSON and is read back', () => {
    const one = failure('BMC_BUSY', 'm', { details: { url: 'https://x' } });
    expect(asFailure(JSON.parse(JSON.stringify(one)))).toEqual(one);
  });

  it.each([
    [{ code: 'NO_SUCH_CODE' }],
    [{ code: 'toString' }],
    [{ faultDomain: 'nobody' }],
    [{ message: 7 }],
    [{ correction: undefined }],
    [{ retryable: 'yes' }],
  ])('is not one with %j', (over) => {
    expect(asFailure({ ...failure('BUSY', 'm'), ...over })).toBeUndefined();
  });

  it('is never found where there is none, and looking never throws', () => {
    fc.assert(fc.property(fc.anything(), (value) => asFailure(value) === undefined));
  });
});

describe('an exception', () => {
  it('carries its failure, its cause and when to look again', () => {
    const cause = new Error('below');
    const error = new RackwrightError(failure('BMC_BUSY', 'm'), { cause, retryAfterMs: 5 });
    expect(error).toMatchObject({ message: 'm', cause, retryAfterMs: 5, failure: { code: 'BMC_BUSY' } });
  });

  it('of "not yet" may be tried again whatever the catalogue says of its code', () => {
    const code: ErrorCode = 'AGENT_SILENT';
    expect(fail(code, 'm').failure.retryable).toBe(false);
    expect(notYet(code, 'm', 10)).toMatchObject({ failure: { retryable: true }, retryAfterMs: 10 });
  });
});
