import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes long, the longest first: begun last, it would run on alone when everything else is over. */
const LONG = [
  'test/e2e/qemu/life.test.ts',
  'test/e2e/kill9/steps.test.ts',
  'test/e2e/kill9/checks.test.ts',
  'test/e2e/acceptance.test.ts',
  'test/e2e/sushy/life.test.ts',
  'test/e2e/web-ui/operator.test.ts',
  'test/e2e/kill9/random.test.ts',
  'test/field/combinations.test.ts',
  'test/field/field.test.ts',
  'test/e2e/secrets/secrets.test.ts',
  'test/e2e/images.test.ts',
  'test/e2e/openstack-small.test.ts',
  'test/e2e/erase.test.ts',
  'test/e2e/ironic-on-lab.test.ts',
  'test/field/life.test.ts',
  'bench/redfish.test.ts',
];

/** The order in which files begin: those that are known to take long, then the others by name. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => rank(a) - rank(b) || a.moduleId.localeCompare(b.moduleId));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const at = LONG.findIndex((file) => moduleId.endsWith(`/${file}`));
  return at < 0 ? LONG.length : at;
}
