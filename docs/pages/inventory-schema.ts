import { inventorySchema } from '../../contracts/inventory/json-schema.ts';
import { code, table } from './markdown.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly description?: string;
}

interface Row {
  readonly path: string;
  readonly schema: Schema;
  readonly required: boolean;
}

/** Every field of an inventory, from its JSON Schema. */
export function inventorySchemaPage(): string {
  const root = inventorySchema() as Schema;
  const required = root.required ?? [];
  const sections = Object.entries(root.properties ?? {});
  return [
    '# Inventory',
    '',
    'One YAML file, or a folder of them that is merged by name. `rackwright schema` prints the JSON Schema that this',
    'page is made from; `rackwright validate FILE` names file, line and field of every error. Unknown fields are',
    'errors. Durations are written `90s`, `15m`, `2h`, `1d` or as a number of seconds. Secrets are references:',
    '`env:NAME`, `file:PATH` or `exec:COMMAND`.',
    '',
    'See [how to write an inventory](../how-to/write-an-inventory.md).',
    ...sections.flatMap(([name, schema]) => {
      const rows = fields({ path: name, schema, required: required.includes(name) });
      return [
        '',
        `## ${name}`,
        '',
        table(
          ['field', 'must be', 'required', 'default'],
          rows.map((row) => [
            code(row.path),
            describe(row.schema),
            row.required ? 'yes' : '',
            row.schema.default === undefined ? '' : code(JSON.stringify(row.schema.default)),
          ]),
        ),
      ];
    }),
  ].join('\n');
}

/** A field, and the fields below it. */
function fields(row: Row): Row[] {
  const { path, schema } = row;
  const below = [
    ...children(path, schema),
    ...(schema.items ? children(`${path}[]`, schema.items) : []),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((each) => [
      ...children(path, each),
      ...(each.items ? children(`${path}[]`, each.items) : []),
    ]),
  ];
  const seen = new Set<string>();
  return [row, ...below.flatMap(fields)].filter(({ path }) => !seen.has(path) && seen.add(path));
}

function children(path: string, schema: Schema): Row[] {
  const named = Object.entries(schema.properties ?? {}).map(([name, each]) => ({
    path: `${path}.${name}`,
    schema: each,
    required: schema.required?.includes(name) ?? false,
  }));
  const { additionalProperties: any } = schema;
  return typeof any === 'object' ? [...named, ...children(`${path}.<name>`, any)] : named;
}

/** What a value must be, in words. */
function describe(schema: Schema): string {
  if (schema.description !== undefined) return schema.description;
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum) return schema.enum.map((each) => code(String(each))).join(' ');
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (choices.length > 0) return [...new Set(choices.map(describe))].join(' or ');
  if (schema.items) return `a list, each ${describe(schema.items)}`;
  if (schema.properties) return 'an object';
  if (typeof schema.additionalProperties === 'object') return 'an object by name';
  return schema.type === undefined ? 'any value' : [schema.type].flat().join(' or ');
}
