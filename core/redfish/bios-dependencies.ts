import type { BiosDependency, BiosRegistry, BiosTerm } from './bios-registry.ts';
import { sameValue } from './bios-values.ts';
import { asNumber, type Loose } from './read.ts';

/** Properties that dependencies give to attributes, by attribute; names of properties in lower case. */
export type Given = ReadonlyMap<string, { readonly [property: string]: unknown }>;

const PASSES = 4;

/**
 * What the dependencies of a registry make of its attributes, given these values. One may depend on what
 * another gives, so they are gone through until nothing changes, or a few times where they go in circles.
 */
export function dependent(registry: BiosRegistry, values: Loose): Given {
  let given = new Map<string, { [property: string]: unknown }>();
  for (let pass = 0; pass < PASSES; pass += 1) {
    const next = new Map<string, { [property: string]: unknown }>();
    for (const { terms, attribute, property, value } of registry.dependencies) {
      if (holds(terms, registry, values, given)) {
        next.set(attribute, { ...next.get(attribute), [property]: value });
      }
    }
    const settled = same(next, given);
    given = next;
    if (settled) break;
  }
  return given;
}

const same = (a: Given, b: Given): boolean =>
  JSON.stringify([...a].toSorted()) === JSON.stringify([...b].toSorted());

function holds(terms: BiosDependency['terms'], registry: BiosRegistry, values: Loose, given: Given): boolean {
  return terms.reduce((result, term, index) => {
    const now = isTrue(term, registry, values, given);
    if (index === 0) return now;
    return term.join === 'OR' ? result || now : result && now;
  }, true);
}

function isTrue(term: BiosTerm, registry: BiosRegistry, values: Loose, given: Given): boolean {
  const type = registry.attributes.get(term.attribute)?.type ?? null;
  const left = propertyOf(term, registry, values, given);
  if (left === undefined) return false;
  const equal = sameValue(left, term.value, term.property === 'currentvalue' ? type : null);
  if (term.condition === 'EQU') return equal;
  if (term.condition === 'NEQ') return !equal;
  const [a, b] = [asNumber(left), asNumber(term.value)];
  if (a === null || b === null) return false;
  const is = { GTR: a > b, GEQ: a >= b, LSS: a < b, LEQ: a <= b };
  return is[term.condition];
}

/** What a term asks of an attribute; undefined where nobody says so. */
function propertyOf(term: BiosTerm, registry: BiosRegistry, values: Loose, given: Given): unknown {
  if (term.property === 'currentvalue') return values[term.attribute];
  const own = given.get(term.attribute)?.[term.property];
  if (own !== undefined) return own;
  const attribute = registry.attributes.get(term.attribute);
  if (attribute === undefined) return undefined;
  const said: { readonly [property: string]: unknown } = {
    readonly: attribute.readOnly,
    writeonly: attribute.writeOnly,
    grayout: attribute.grayOut,
    hidden: attribute.hidden,
    immutable: attribute.immutable,
    lowerbound: attribute.lower,
    upperbound: attribute.upper,
    minlength: attribute.minLength,
    maxlength: attribute.maxLength,
    scalarincrement: attribute.scalar,
  };
  return said[term.property];
}
