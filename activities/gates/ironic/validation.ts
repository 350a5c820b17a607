import type { Json } from '../../../core/json.ts';
import { untoldInterfaces } from '../../../core/ironic/validation.ts';
import { answerInvalid } from '../../openstack/errors.ts';
import type { BareMetal } from './session.ts';

/**
 * What Ironic says of the interfaces of a node. Throws where it says nothing of one that is needed, which is not fit
 * for that.
 *
 * @param more those that are needed beside the ones that every node needs
 */
export async function validationOf(
  ironic: Pick<BareMetal, 'read'>,
  uuid: string,
  more: readonly string[] = [],
): Promise<{ readonly path: string; readonly answer: Json }> {
  const path = `/v1/nodes/${uuid}/validate`;
  const answer = (await ironic.read(path)) as Json;
  const untold = untoldInterfaces(answer, more).map((kind) => `\`${kind}\``);
  if (untold.length === 0) return { path, answer };
  throw answerInvalid(
    { service: 'baremetal', method: 'GET', path },
    `it says nothing of ${untold.join(', ')}`,
  );
}
