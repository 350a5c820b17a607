import type { JsonObject } from '../../core/json.ts';
import type { DriverName } from '../../core/plans/index.ts';
import type { StepContext } from './driver.ts';
import { redfishState } from './redfish/state.ts';

type Look = (
  context: Pick<StepContext, 'node' | 'inventory' | 'signal' | 'secret'>,
) => Promise<JsonObject | null>;

/** What each driver can say of a node between operations, by itself. */
const STATES: { readonly [driver in DriverName]: Look } = {
  redfish: redfishState,
  // What Ironic has of a node is the record of its own.
  ironic: async () => null,
};

/** Power, boot and media of a node as they are now; null where its driver does not ask its BMC. */
export const stateOf: Look = (context) => STATES[context.node.driver](context);
