import type { FieldPath, Finding } from './findings.ts';
import { items, text, tree, type Tree } from './raw.ts';
import { RULES } from './rules.ts';

const rule = (
  path: FieldPath,
  { message, correction }: { message: string; correction: string },
): Finding => ({
  path,
  message,
  correction,
});

/** What no single field of `firmware` shows: files without a hash, and what would be asked of a server twice. */
export function firmwareFindings(raw: Tree): Finding[] {
  const found: Finding[] = [];
  const names = new Map<string, number>();
  const asked = new Map<string, string>();
  const served = new Map<string, string>();
  items(tree(raw['firmware'])['baselines']).forEach((each, index) => {
    const baseline = tree(each);
    const at: FieldPath = ['firmware', 'baselines', index];
    const name = text(baseline['name']);
    if (name !== undefined) {
      const first = names.get(name);
      if (first === undefined) names.set(name, index);
      else found.push(twice([...at, 'name'], `is the name of firmware.baselines[${first}] too`));
    }
    items(baseline['components']).forEach((entry, place) => {
      const component = tree(entry);
      const here: FieldPath = [...at, 'components', place];
      found.push(...sourceFindings(raw, component, here));
      const file = text(component['file']);
      const called = text(component['component']);
      if (file !== undefined && isTaken(served, items(baseline['types']), file))
        found.push(rule([...here, 'file'], RULES.firmwareFileName));
      if (called === undefined) return;
      for (const type of items(baseline['types'])) {
        const key = `${String(type)}/${called.trim().replace(/\s+/g, ' ').toLowerCase()}`;
        const where = asked.get(key);
        if (where === undefined) asked.set(key, `firmware.baselines[${index}]`);
        else found.push(twice([...here, 'component'], `has a version in ${where} for the same type too`));
      }
    });
  });
  return found;
}

/** Whether another file of this name is served to servers of one of the types; remembers the file. */
function isTaken(served: Map<string, string>, types: readonly unknown[], file: string): boolean {
  let taken = false;
  for (const type of types) {
    const key = `${String(type)}/${fileName(file)}`;
    const other = served.get(key);
    if (other === undefined) served.set(key, file);
    else if (other !== file) taken = true;
  }
  return taken;
}

const fileName = (path: string): string => path.replace(/^.*\//, '');

const twice = (path: FieldPath, message: string): Finding => ({
  path,
  message,
  correction: 'A server can only have one: remove one of the two.',
});

function sourceFindings(raw: Tree, component: Tree, here: FieldPath): Finding[] {
  const { url, file, checksum } = component;
  const found: Finding[] = [];
  if ((url !== undefined || file !== undefined) && checksum === undefined)
    found.push(rule([...here, 'checksum'], RULES.firmwareChecksum));
  if (url !== undefined && file !== undefined) found.push(rule([...here, 'file'], RULES.firmwareOneSource));
  if (file !== undefined && tree(raw['media'])['gatewayUrl'] === undefined)
    found.push(rule([...here, 'file'], RULES.firmwareNeedsGateway));
  return found;
}
