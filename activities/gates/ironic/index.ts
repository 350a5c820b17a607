import type { CheckFunction } from '../check.ts';
import { ironicApi } from './api.ts';
import { ironicCompute } from './compute.ts';
import { ironicConductors, nodeConductor } from './conductors.ts';
import { consoleProxy } from './consoles.ts';
import { deployImages } from './deploy-images.ts';
import { ironicDrivers } from './drivers.ts';
import { provisioningNetwork } from './network.ts';
import { bootImagesPublished } from './published.ts';
import { nodeValidate } from './validate.ts';

/** How the checks of gate 4 are made, by id. */
export const IRONIC_FUNCTIONS: { readonly [id: string]: CheckFunction } = {
  'ironic-api': ironicApi,
  'ironic-conductors': ironicConductors,
  'ironic-compute': ironicCompute,
  'ironic-drivers': ironicDrivers,
  'provisioning-network': provisioningNetwork,
  'deploy-images': deployImages,
  'boot-images-published': bootImagesPublished,
  'node-validate': nodeValidate,
  'node-conductor': nodeConductor,
  'console-proxy': consoleProxy,
};
