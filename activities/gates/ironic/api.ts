import type { Json } from '../../../core/json.ts';
import { negotiate } from '../../../core/ironic/version.ts';
import { field, text } from '../../../core/openstack/read.ts';
import { BARE_METAL_VERSION, readVersions } from '../../../core/openstack/versions.ts';
import { answerInvalid } from '../../openstack/errors.ts';
import { eachTarget, foundOf, type CheckFunction } from '../check.ts';
import { ofCloud, withBareMetal, withoutIronic } from './session.ts';

/** Ironic answers, in a version that can be spoken, and reads its database for the user of the contract. */
export const ironicApi: CheckFunction = {
  skip: withoutIronic,
  run: (context) =>
    withBareMetal(context, ({ ironic }) =>
      eachTarget(context, 'ironic', [{ name: 'Ironic' }], async ({ name }) => {
        const root = await ironic.read('/');
        if (!readVersions(root)) {
          throw answerInvalid(
            { service: 'baremetal', method: 'GET', path: '/' },
            'it lists no version of its API',
          );
        }
        const offered = field(root, 'default_version');
        const range = { min: text(field(offered, 'min_version')), max: text(field(offered, 'version')) };
        const pinned = ofCloud(context.inventory)
          ? BARE_METAL_VERSION
          : context.inventory.openstack?.ironic?.microversion;
        const chosen = negotiate(range, pinned);
        const evidence = [
          await context.evidence(name, { asked: `GET / of ${ironic.where}`, answer: root as Json }),
        ];
        if (!chosen.ok) {
          const wrong = {
            message: `Ironic at ${ironic.where}: ${chosen.why}.`,
            correction: ofCloud(context.inventory)
              ? 'Upgrade Ironic, or look which Ironic the endpoint of the catalogue leads to.'
              : 'Correct `openstack.ironic.microversion` in the contract, or upgrade Ironic.',
          };
          return { found: foundOf([wrong], ''), evidence };
        }
        await ironic.read('/v1/nodes?limit=1&fields=uuid');
        return {
          found: { right: `it answers, in version ${chosen.version} of ${range.min} to ${range.max}` },
          evidence,
        };
      }),
    ),
};
