import { nameOf, type Found, type PodObject } from './shapes.ts';

/** A container image, and the digests recorded of it. */
export interface RecordedContainerImage {
  readonly image: string;
  readonly digest: string | readonly string[];
  readonly immutableTag?: boolean | undefined;
}

/** An image's name in its parts. */
interface Reference {
  readonly repository: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

/** Reads a name as container runtimes do: `nginx` is `docker.io/library/nginx`. */
export function readReference(image: string): Reference {
  const [named = '', digest] = image.split('@', 2);
  const slash = named.lastIndexOf('/');
  const colon = named.indexOf(':', slash + 1);
  const path = colon === -1 ? named : named.slice(0, colon);
  const tag = colon === -1 ? undefined : named.slice(colon + 1);
  const [first = '', ...rest] = path.split('/');
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  const repository = hasHost
    ? path.replace(/^index\.docker\.io\//, 'docker.io/')
    : `docker.io/${rest.length === 0 ? 'library/' : ''}${path}`;
  return { repository, tag: tag ?? (digest === undefined ? 'latest' : undefined), digest };
}

/** The digest that a runtime says a container runs: after `@`, or alone where the image came from no registry. */
export const runningDigest = (imageId: string): string | undefined =>
  /sha256:[0-9a-f]{64}$/.exec(imageId)?.[0];

/** What a container runs, and whether that is what was recorded. */
export interface Running {
  readonly container: string;
  readonly image: string;
  readonly imageId: string;
}

/** The containers of a pod that run now. */
export function runningContainers(pod: PodObject): Running[] {
  const { status, spec } = pod;
  const named = new Map(
    [...(spec?.containers ?? []), ...(spec?.initContainers ?? []), ...(spec?.ephemeralContainers ?? [])].map(
      ({ name, image }) => [name, image],
    ),
  );
  return [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ]
    .filter(({ state }) => state?.running !== undefined)
    .map(({ name = '', image = '', imageID = '' }) => ({
      container: `${nameOf(pod)}/${name}`,
      // What the workload asks for; the status may say what the runtime calls it.
      image: named.get(name) ?? image,
      imageId: imageID,
    }));
}

const short = (digest: string): string => digest.slice(0, 19);

/** Why a container does not run what was recorded; `unrecorded` where it is fixed by its own digest, and nobody recorded it. */
export function judgeContainer(
  { container, image, imageId }: Running,
  record: readonly RecordedContainerImage[],
): { readonly wrong?: Found; readonly unrecorded?: true } {
  const reference = readReference(image);
  const fitting = record.filter((each) => {
    const { repository, tag } = readReference(each.image);
    const anyTag = !/:[^/]*$/.test(each.image);
    return (
      repository === reference.repository && (anyTag || reference.tag === undefined || tag === reference.tag)
    );
  });
  const running = runningDigest(imageId);
  if (fitting.length === 0) {
    if (reference.digest !== undefined && running !== undefined) return { unrecorded: true };
    return {
      wrong: {
        message: `${container} runs ${image}, which names no digest, and none is recorded of it: what it runs is whatever the tag stood for.`,
        correction: `Name it as ${bare(image)}@${running ?? 'sha256:…'} in its workload, or record it in \`kubernetes.containerImages\`.`,
        faultDomain: 'image-supply',
      },
    };
  }
  const digests = fitting.flatMap(({ digest }) => (typeof digest === 'string' ? [digest] : digest));
  if (running === undefined || !digests.includes(running)) {
    return {
      wrong: {
        message: `${container} runs ${running === undefined ? 'an image whose digest is not told' : running} of ${image}, and ${digests.map(short).join(', ')} is recorded.`,
        correction: `Deploy ${bare(image)}@${digests[0]}; if what runs is wanted, record its digest in \`kubernetes.containerImages\`.`,
        faultDomain: 'image-supply',
      },
    };
  }
  if (reference.digest === undefined && !fitting.some(({ immutableTag }) => immutableTag === true)) {
    return {
      wrong: {
        message: `${container} runs the recorded bytes of ${image}, but by a tag: the next start may get others.`,
        correction: `Name it as ${image}@${running} in its workload; or, where the registry never changes a tag, say \`immutableTag: true\`.`,
        faultDomain: 'image-supply',
      },
    };
  }
  return {};
}

const bare = (image: string): string => image.split('@')[0]!;
