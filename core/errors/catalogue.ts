import { ACCEPTANCE_ERRORS } from './acceptance.ts';
import { AGENT_ERRORS } from './agent.ts';
import { BIOS_ERRORS } from './bios.ts';
import { CONTRACT_ERRORS } from './contract.ts';
import type { CatalogueEntry } from './entry.ts';
import { FIRMWARE_ERRORS } from './firmware.ts';
import { HOST_ERRORS } from './host.ts';
import { IRONIC_ERRORS } from './ironic.ts';
import { KUBERNETES_ERRORS } from './kubernetes.ts';
import { OPENSTACK_ERRORS } from './openstack.ts';
import { ORCHESTRATOR_ERRORS } from './orchestrator.ts';
import { REACHABILITY_ERRORS } from './reachability.ts';
import { REDFISH_ERRORS } from './redfish.ts';
import { SSH_ERRORS } from './ssh.ts';

/** Every code that Rackwright can answer with. Callers switch on codes, never on messages. */
export const CATALOGUE = {
  ...ORCHESTRATOR_ERRORS,
  ...CONTRACT_ERRORS,
  ...REDFISH_ERRORS,
  ...FIRMWARE_ERRORS,
  ...BIOS_ERRORS,
  ...AGENT_ERRORS,
  ...IRONIC_ERRORS,
  ...KUBERNETES_ERRORS,
  ...OPENSTACK_ERRORS,
  ...ACCEPTANCE_ERRORS,
  ...SSH_ERRORS,
  ...HOST_ERRORS,
  ...REACHABILITY_ERRORS,
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof CATALOGUE;

/** Narrows a string to a code of the catalogue. */
export const isErrorCode = (value: unknown): value is ErrorCode =>
  typeof value === 'string' && Object.hasOwn(CATALOGUE, value);
