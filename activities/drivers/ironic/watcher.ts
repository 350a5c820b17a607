import { readingOf } from '../../../core/ironic/reading.ts';
import type { Watcher } from '../driver.ts';
import { withIronic } from './session.ts';

/** Ironic polls the BMCs itself: its list says of all nodes at once what it saw. */
export const ironicWatcher: Watcher = {
  batch: Number.MAX_SAFE_INTEGER,
  look: (nodes, context) =>
    withIronic(context, async ({ ironic }) => {
      const listed = new Map((await ironic.nodes()).map((node) => [node.name, node]));
      const { site } = context;
      return new Map(nodes.map(({ name }) => [name, readingOf(listed.get(name), { site, node: name })]));
    }),
  release: () => undefined,
};
