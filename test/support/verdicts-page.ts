import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { CHECKS } from '../../core/acceptance/checks.ts';
import { code, table } from '../../docs/pages/markdown.ts';
import { VERSION } from '../peers/kube-apiserver.ts';
import { peersFolder } from '../peers/once.ts';

/** The page that a whole run against OpenStack writes when RACKWRIGHT_VERDICTS is set. */
const PAGE = 'docs/reference/openstack-2026.1.md';
const SERVICES = /^(keystone|glance|ironic|neutron|nova|openstack-placement)==(.*)$/gm;
const GATES: readonly number[] = [2, 3, 4, 5, 7];

/** Writes what was seen, and nothing of a run that failed or left a part of a file out. */
export class VerdictsPage implements Reporter {
  readonly #began = new Date();

  onTestRunEnd(modules: readonly TestModule[], _errors: readonly unknown[], reason: string): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const ran = modules.filter((module) => testsOf(module).some(hasRun));
    const whole = ran.some(({ moduleId }) => moduleId.endsWith('openstack.run.ts'));
    if (reason !== 'passed' || !whole || ran.some((module) => !testsOf(module).every(hasRun))) {
      console.error(`${PAGE} is not written: this was no whole run that passed`);
      return;
    }
    const withKubernetes = ran.some(({ moduleId }) => moduleId.endsWith('kubernetes.run.ts'));
    writeFileSync(PAGE, this.#page(tests.filter(hasRun), withKubernetes));
  }

  #page(tests: readonly TestCase[], withKubernetes: boolean): string {
    const minutes = Math.round((Date.now() - this.#began.getTime()) / 60_000);
    return `${[
      '<!-- Written by a whole run of `RACKWRIGHT_VERDICTS=1 npm run test:openstack`. Do not change it by hand. -->',
      '# What a whole run against OpenStack 2026.1 has seen',
      `${this.#began.toISOString().slice(0, 10)}; ${tests.length} tests in ${minutes} minutes, all as expected. [What runs there](../explanation/testing.md),\nand [what each check has been shown against](proofs.md).`,
      '## Versions',
      table(['program', 'version'], versions(withKubernetes)),
      '## Without a fault',
      'Skipped is what the contract of the run, or the hardware there, has none of; – is one that the run without a fault leaves out.',
      table(['gate', 'check', 'outcome'], withoutFault(tests)),
      '## With a fault',
      'The outcomes of the check, in the order in which they were seen: with the fault, and after the correction; where one\nstands alone, no correction was tried there. What is no fail and no pass is an error. What is not in the table is shown\nfailing on the small set (`test/e2e/openstack-small.test.ts`).',
      table(['gate', 'fault', 'check', 'outcomes'], withFault(tests)),
    ].join('\n\n')}\n`;
  }
}

const testsOf = (module: TestModule): TestCase[] => [...module.children.allTests()];
const hasRun = (test: TestCase): boolean => test.result().state === 'passed';
const isFaultless = ({ name }: TestCase): boolean => name.startsWith('passes');
const outcomesOf = (test: TestCase) => test.meta().outcomes ?? [];
const checksHere = CHECKS.filter(({ gate }) => GATES.includes(gate));

function versions(withKubernetes: boolean): string[][] {
  const list = readFileSync('test/peers/openstack/requirements-whole.txt', 'utf8');
  const debian = ['mariadb-server', 'rabbitmq-server'].map((name) => [
    name,
    said('dpkg-query', '-W', '-f', '${Version}', name),
  ]);
  const etcd = () => /etcd Version: (\S+)/.exec(said(join(peersFolder(), 'etcd'), '--version'))?.[1] ?? '';
  return [
    ...[...list.matchAll(SERVICES)].map(([, name = '', version = '']) => [name, version]),
    ...debian,
    ...(withKubernetes
      ? [
          ['kube-apiserver', VERSION],
          ['etcd', etcd()],
        ]
      : []),
  ];
}
const said = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: 'utf8' }).trim();

/** A check that one contract has nothing for may be made with another. */
function withoutFault(tests: readonly TestCase[]): string[][] {
  const seen = tests.filter(isFaultless).flatMap(outcomesOf);
  return checksHere.map(({ gate, id }) => {
    const outcomes = new Set(seen.flatMap((each) => each[id] ?? []));
    const made = [...outcomes].filter((each) => each !== 'skipped');
    return [String(gate), code(id), (made.length > 0 ? made : [...outcomes]).join(', ') || '–'];
  });
}

function withFault(tests: readonly TestCase[]): string[][] {
  return checksHere.flatMap(({ gate, id }) =>
    tests
      .filter((test) => !isFaultless(test))
      .flatMap((test) => {
        const outcomes = outcomesOf(test).flatMap((each) => each[id] ?? []);
        if (!outcomes.some((each) => each === 'fail' || each === 'error')) return [];
        const changes = outcomes.filter((each, at) => each !== outcomes[at - 1]);
        return [[String(gate), test.name, code(id), changes.join(', ')]];
      }),
  );
}
