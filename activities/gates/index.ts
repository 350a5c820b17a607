import { CHECKS } from '../../core/acceptance/checks.ts';
import { AGAIN_MS, inAttempts, type CheckFunction, type GateCheck } from './check.ts';
import { HOST_FUNCTIONS } from './host/index.ts';
import { containerDigests } from './images/container-digests.ts';
import { deployMedia } from './images/deploy-media.ts';
import { glanceImages } from './images/glance-images.ts';
import { imageDigests } from './images/image-digests.ts';
import { imageFormat } from './images/image-format.ts';
import { IRONIC_FUNCTIONS } from './ironic/index.ts';
import { KUBERNETES_FUNCTIONS } from './kubernetes/index.ts';
import { OPENSTACK_FUNCTIONS } from './openstack/index.ts';
import { PHYSICAL_FUNCTIONS } from './physical/index.ts';
import { REACHABILITY_FUNCTIONS } from './reachability/index.ts';

const FUNCTIONS: { readonly [id: string]: CheckFunction } = {
  ...HOST_FUNCTIONS,
  'deploy-media': deployMedia,
  'image-digests': imageDigests,
  'image-format': imageFormat,
  ...KUBERNETES_FUNCTIONS,
  ...OPENSTACK_FUNCTIONS,
  ...IRONIC_FUNCTIONS,
  'glance-images': glanceImages,
  'container-digests': containerDigests,
  ...REACHABILITY_FUNCTIONS,
  ...PHYSICAL_FUNCTIONS,
};

/**
 * What a check has to know before it has anything to look at is asked for as often as that is, and no more. What gate 7
 * waits for has its own time.
 */
const soOften =
  ({ run }: CheckFunction): CheckFunction['run'] =>
  (context) =>
    inAttempts(context.signal, AGAIN_MS, () => run(context));

/** Every check of this version, and how it is made. */
export const GATE_CHECKS: readonly GateCheck[] = CHECKS.map((check) => {
  const made = FUNCTIONS[check.id];
  if (!made) throw new Error(`there is no function for check ${check.id}`);
  return { check, ...made, ...(check.gate === 7 ? {} : { run: soOften(made) }) };
});
