import { describe, expect, it } from 'vitest';
import {
  judgeContainer,
  readReference,
  runningContainers,
  runningDigest,
  type RecordedContainerImage,
} from '../../../core/kubernetes/container-images.ts';

const A = `sha256:${'a'.repeat(64)}`;
const B = `sha256:${'b'.repeat(64)}`;

describe('names of images', () => {
  it.each<[string, string, string | undefined, string | undefined]>([
    ['nginx', 'docker.io/library/nginx', 'latest', undefined],
    ['bitnami/redis:7', 'docker.io/bitnami/redis', '7', undefined],
    ['index.docker.io/bitnami/redis:7', 'docker.io/bitnami/redis', '7', undefined],
    ['registry.lab:5000/glance', 'registry.lab:5000/glance', 'latest', undefined],
    ['registry.lab:5000/a/glance:1', 'registry.lab:5000/a/glance', '1', undefined],
    [`localhost/x@${A}`, 'localhost/x', undefined, A],
    [`quay.io/x/y:2@${A}`, 'quay.io/x/y', '2', A],
  ])('%s', (image, repository, tag, digest) => {
    expect(readReference(image)).toEqual({ repository, tag, digest });
  });

  it.each([
    [`docker-pullable://quay.io/x@${A}`, A],
    [`quay.io/x@${A}`, A],
    [A, A],
    ['', undefined],
  ])('%j is what runs', (imageId, digest) => {
    expect(runningDigest(imageId)).toBe(digest);
  });
});

it('only what runs now counts, named as the workload asks for it', () => {
  const status = (name: string, state: object) => ({
    name,
    image: 'sha256:short',
    imageID: `q/x@${A}`,
    state,
  });
  const pod = {
    metadata: { name: 'p' },
    spec: {
      containers: [{ name: 'a', image: 'quay.io/x:1' }],
      initContainers: [{ name: 'i', image: 'i:1' }],
    },
    status: {
      containerStatuses: [status('a', { running: {} }), status('w', { waiting: {} })],
      initContainerStatuses: [status('i', { terminated: { exitCode: 0 } })],
    },
  };
  expect(runningContainers(pod)).toEqual([{ container: 'p/a', image: 'quay.io/x:1', imageId: `q/x@${A}` }]);
});

describe('a container', () => {
  const record: RecordedContainerImage[] = [
    { image: 'quay.io/x:1', digest: A },
    { image: 'quay.io/fixed:1', digest: [A, B], immutableTag: true },
    { image: 'quay.io/any', digest: B },
  ];
  it.each<[string, string, string, RegExp | 'right' | 'unrecorded']>([
    ['named by the digest that is recorded', `quay.io/x:1@${A}`, `quay.io/x@${A}`, 'right'],
    [
      'that runs other bytes',
      `quay.io/x:1@${B}`,
      `quay.io/x@${B}`,
      /runs sha256:b+ of .*, and sha256:aaaaaaaaaaaa is recorded/,
    ],
    ['named by a tag', 'quay.io/x:1', `quay.io/x@${A}`, /but by a tag/],
    ['whose tag cannot be changed', 'quay.io/fixed:1', `quay.io/fixed@${B}`, 'right'],
    [
      'whose tag stands for something else',
      'quay.io/fixed:1',
      `quay.io/fixed@sha256:${'c'.repeat(64)}`,
      /is recorded/,
    ],
    ['whatever tag', `quay.io/any:7@${B}`, `quay.io/any@${B}`, 'right'],
    ['of another tag', 'quay.io/x:2', `quay.io/x@${A}`, /names no digest, and none is recorded/],
    ['that is fixed, and not recorded', `quay.io/new@${A}`, `quay.io/new@${A}`, 'unrecorded'],
    [
      'of which nothing is known',
      'nginx',
      `docker.io/library/nginx@${A}`,
      /names no digest, and none is recorded/,
    ],
    ['whose digest is not told', `quay.io/x:1@${A}`, '', /whose digest is not told/],
  ])('%s', (_what, image, imageId, expected) => {
    const judged = judgeContainer({ container: 'p/c', image, imageId }, record);
    if (expected === 'right') expect(judged).toEqual({});
    else if (expected === 'unrecorded') expect(judged).toEqual({ unrecorded: true });
    else expect(judged.wrong?.message).toMatch(expected);
  });
});
