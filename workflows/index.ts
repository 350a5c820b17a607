/** The workflow types of Rackwright, as the worker bundles them. */
export { node } from './node.ts';
export { operation } from './operation.ts';
export { watch } from './watch.ts';
