import { X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { FieldPath, Finding } from '../../contracts/inventory/findings.ts';
import type { TlsPolicy } from '../../contracts/inventory/bmc.ts';
import type { Inventory } from '../../contracts/inventory/inventory.ts';
import { items, text, tree } from '../../contracts/inventory/raw.ts';
import { mapSecretPlaces } from '../../contracts/inventory/secret-places.ts';

type Kind = 'certificate' | 'file';

interface NamedFile {
  readonly path: FieldPath;
  readonly file: string;
  readonly kind: Kind;
}

/** The path of an image that lies on this host; undefined for one that does not. */
function imagePath(url: string): string | undefined {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(url)) return url;
  if (!/^file:/i.test(url)) return undefined;
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}

/** Every file that an inventory names and that must be there; secrets are not looked for. */
function namedFiles(value: unknown): NamedFile[] {
  const raw = tree(value);
  const named = (path: FieldPath, file: unknown, kind: Kind): NamedFile[] =>
    typeof file === 'string' && file !== '' ? [{ path, file, kind }] : [];
  const iso = tree(raw['media'])['iso'];
  const isoPath = ['media', 'iso'];
  return [
    ...(typeof iso === 'string'
      ? named(isoPath, iso, 'file')
      : Object.entries(tree(iso)).flatMap(([key, file]) => named([...isoPath, key], file, 'file'))),
    ...named(['bmc', 'tls', 'ca'], tree(tree(raw['bmc'])['tls'])['ca'], 'certificate'),
    ...named(['openstack', 'ca'], tree(raw['openstack'])['ca'], 'certificate'),
    ...items(raw['nodes']).flatMap((node, index) =>
      named(['nodes', index, 'bmc', 'tls', 'ca'], tree(tree(tree(node)['bmc'])['tls'])['ca'], 'certificate'),
    ),
    ...items(tree(raw['firmware'])['baselines']).flatMap((baseline, index) =>
      items(tree(baseline)['components']).flatMap((component, at) =>
        named(['firmware', 'baselines', index, 'components', at, 'file'], tree(component)['file'], 'file'),
      ),
    ),
    ...items(raw['images']).flatMap((image, index) => {
      const url = text(tree(image)['url']);
      return named(['images', index, 'url'], url === undefined ? undefined : imagePath(url), 'file');
    }),
  ];
}

async function faultOf(file: string, kind: Kind): Promise<string | undefined> {
  try {
    if (!(await stat(file)).isFile()) return 'is not a file';
    if (kind === 'file') return undefined;
  } catch {
    return 'names a file that is not there';
  }
  try {
    void new X509Certificate(await readFile(file));
    return undefined;
  } catch {
    return 'names a file that is no certificate in PEM form';
  }
}

/** Looks whether the files that an inventory names are there. Each is looked at once. */
export async function checkFiles(value: unknown, baseDir: string): Promise<Finding[]> {
  const faults = new Map<string, string | undefined>();
  const found: Finding[] = [];
  for (const { path, file, kind } of namedFiles(value)) {
    const absolute = resolve(baseDir, file);
    const key = `${kind}:${absolute}`;
    if (!faults.has(key)) faults.set(key, await faultOf(absolute, kind));
    const message = faults.get(key);
    if (message === undefined) continue;
    found.push({
      path,
      message,
      correction: `Put it there, or correct the path; it was looked for at ${absolute}.`,
    });
  }
  return found;
}

/** The inventory with every path absolute, so that it means the same wherever it is read. */
export function absolutePaths(inventory: Inventory, baseDir: string): Inventory {
  const at = (path: string): string => resolve(baseDir, path);
  const secret = (ref: string): string => (ref.startsWith('file:') ? `file:${at(ref.slice(5))}` : ref);
  const tls = (policy: TlsPolicy): TlsPolicy =>
    typeof policy === 'object' && 'ca' in policy ? { ca: at(policy.ca) } : policy;

  const resolved = mapSecretPlaces(inventory, secret) as Inventory;
  const { media, openstack, firmware } = resolved;
  return {
    ...resolved,
    bmc: resolved.bmc.tls === undefined ? resolved.bmc : { ...resolved.bmc, tls: tls(resolved.bmc.tls) },
    ...(media === undefined
      ? {}
      : {
          media: {
            ...media,
            iso:
              typeof media.iso === 'string'
                ? at(media.iso)
                : Object.fromEntries(Object.entries(media.iso).map(([key, file]) => [key, at(file)])),
          },
        }),
    ...(openstack?.ca === undefined ? {} : { openstack: { ...openstack, ca: at(openstack.ca) } }),
    ...(firmware === undefined
      ? {}
      : {
          firmware: {
            ...firmware,
            baselines: firmware.baselines.map((baseline) => ({
              ...baseline,
              components: baseline.components.map((component) =>
                component.file === undefined ? component : { ...component, file: at(component.file) },
              ),
            })),
          },
        }),
    images: resolved.images.map((image) => {
      const path = imagePath(image.url);
      return path === undefined ? image : { ...image, url: pathToFileURL(at(path)).href };
    }),
    nodes: resolved.nodes.map((node) => ({
      ...node,
      ...(node.bmc?.tls === undefined ? {} : { bmc: { ...node.bmc, tls: tls(node.bmc.tls) } }),
      ...(node.console?.file === undefined ? {} : { console: { file: at(node.console.file) } }),
    })),
  };
}
