import type { FieldPath } from './findings.ts';

/** Fields that may hold a reference to a secret; under `driverInfo` every field may. */
const SECRET_FIELDS: ReadonlySet<string> = new Set(['username', 'password', 'key', 'kubeconfig', 'secret']);

/** A copy of the value in which every field that may hold a reference to a secret went through `change`. */
export function mapSecretPlaces(
  value: unknown,
  change: (text: string, path: FieldPath) => string,
  path: FieldPath = [],
  inDriverInfo = false,
): unknown {
  if (typeof value === 'string') {
    const field = path.at(-1);
    const holds = inDriverInfo || (typeof field === 'string' && SECRET_FIELDS.has(field));
    return holds ? change(value, path) : value;
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => mapSecretPlaces(item, change, [...path, index], inDriverInfo));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      mapSecretPlaces(inner, change, [...path, key], inDriverInfo || key === 'driverInfo'),
    ]),
  );
}
