/** The workflow types of Rackwright, as the worker bundles them. */
export { acceptance } from './acceptance.ts';
export { nightly } from './nightly.ts';
export { node } from './node.ts';
export { operation } from './operation.ts';
export { watch } from './watch.ts';
