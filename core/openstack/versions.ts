import type { ServiceType } from './catalog.ts';
import type { Found } from './found.ts';
import { field, items, text } from './read.ts';

/** The versions that the root of a service lists, as it names them; undefined where it lists none. */
export function readVersions(body: unknown): readonly string[] | undefined {
  // Keystone wraps the list once more; Ironic has it in `versions`, too.
  const listed = field(body, 'versions');
  const versions = items(Array.isArray(listed) ? listed : field(listed, 'values'));
  const ids = versions.map((each) => text(field(each, 'id'))).filter((id) => id !== '');
  return ids.length === 0 ? undefined : ids;
}

/** The version that Ironic is asked in as a service of a cloud. */
export const BARE_METAL_VERSION = '1.58';

/** The version of each API that is spoken, as the service names it. */
const SPOKEN: { readonly [type in ServiceType]: RegExp } = {
  identity: /^v3(\.|$)/,
  compute: /^v2\.1$/,
  network: /^v2\.0$/,
  image: /^v2(\.|$)/,
  placement: /^v1\.0$/,
  baremetal: /^v1$/,
};

/** Whether what answers is what the catalogue says that it is. */
export const judgeVersions = (
  service: ServiceType,
  versions: readonly string[],
  url: string,
): Found | undefined =>
  versions.some((version) => SPOKEN[service].test(version))
    ? undefined
    : {
        message: `At ${url}, which the catalogue has for ${service}, another API answers: it has the versions ${versions.join(', ')}.`,
        correction: `Correct the URL in the catalogue: openstack endpoint set --url URL ID (openstack endpoint list --service ${service}).`,
      };
