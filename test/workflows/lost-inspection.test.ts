import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLocalEnvironment } from '../support/temporal.ts';
import { House, INVENTORY, until } from './support.ts';

let house: House;

beforeAll(async () => {
  house = await House.build(await createLocalEnvironment());
  house.answerCallbacks();
  await house.makeAvailable();
  await house.run('deploy', { image: 'a' });
}, 240_000);

afterAll(async () => {
  await house.close();
  await house.environment.teardown();
});

it('an inspection of a running server leaves nothing, also if it is lost while the contract cannot be read', async () => {
  let inspecting = false;
  house.driver.script['inspect'] = async (_input, { signal }) => {
    inspecting = true;
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return undefined;
  };
  const { operationId } = await house.send('inspect', { requestId: 'cut-off' });
  await until(() => inspecting);
  house.inventory = { ...INVENTORY, nodes: [] };
  await house.operation(operationId).terminate('cut off');
  await until(async () => (await house.state()).lastFailure?.code === 'NODE_UNKNOWN');
  // What is called left is removed later: power among it would switch off the server of its owner.
  expect(await house.state()).toMatchObject({ operation: null, phase: 'inspect-failed', residue: [] });
  house.inventory = INVENTORY;
  delete house.driver.script['inspect'];
  expect(await house.run('inspect')).toMatchObject({ outcome: 'pass', phase: 'active' });
});
