import { z } from 'zod';
import type { JsonObject } from '../../core/json.ts';
import { Inventory } from './inventory.ts';

/** The JSON Schema (2020-12) of an inventory as it is written; for editors and `rackwright schema`. */
export const inventorySchema = (): JsonObject => ({
  title: 'Rackwright inventory',
  ...(z.toJSONSchema(Inventory, { io: 'input', target: 'draft-2020-12' }) as JsonObject),
});
