import { describe, expect, it } from 'vitest';
import { conductorProblem, nodeConductorProblems, otherConductors } from '../../../core/ironic/conductors.ts';
import { driverProblems, wantedDrivers } from '../../../core/ironic/drivers.ts';
import { readConductor, readDriver, readServedNode } from '../../../core/ironic/service.ts';
import { untoldInterfaces, validationProblems } from '../../../core/ironic/validation.ts';

const CONDUCTORS = [
  { hostname: 'a', alive: true, conductor_group: '' },
  { hostname: 'b', alive: false, conductor_group: '' },
].map(readConductor);

describe('conductors', () => {
  it.each<[string, string | undefined]>([
    ['a', undefined],
    ['b', 'Conductor b is not alive: Ironic has had no heartbeat of it in time, or it was stopped.'],
    ['c', 'Ironic knows no conductor c; it knows a, b.'],
  ])('%s', (hostname, message) => {
    expect(conductorProblem(hostname, CONDUCTORS)?.message).toBe(message);
  });

  it('that are in no contract are named', () => {
    expect(otherConductors(['a'], CONDUCTORS)).toBe('; not in the contract: b (not alive)');
    expect(otherConductors(['a', 'b'], CONDUCTORS)).toBe('');
  });

  it.each<[object, string[]]>([
    [{ conductor: 'a' }, []],
    [{ conductor: 'a', reservation: 'a' }, []],
    [{ conductor: 'b' }, ['Conductor b, which is responsible for node n1, is not alive.']],
    [
      { conductor: 'a', reservation: 'b' },
      ['Node n1 is locked by conductor b, which is not alive: nothing can be done with it.'],
    ],
    [
      { conductor: null, conductor_group: 'rack-1' },
      ['No conductor is responsible for node n1: none that is alive has driver redfish in group rack-1.'],
    ],
  ])('of a node: %j', (over, messages) => {
    const node = readServedNode({ uuid: 'u', name: 'n1', driver: 'redfish', ...over });
    expect(nodeConductorProblems(node, CONDUCTORS).map(({ message }) => message)).toEqual(messages);
  });
});

describe('drivers', () => {
  const drivers = [
    readDriver({
      name: 'redfish',
      hosts: ['a'],
      enabled_boot_interfaces: ['ipxe', 'pxe'],
      enabled_deploy_interfaces: ['direct'],
      default_boot_interface: 'ipxe',
    }),
  ];

  it('are wanted once each, with all that anybody needs of them', () => {
    expect(
      wantedDrivers([
        { name: 'redfish', interfaces: { boot: 'ipxe' } },
        { name: 'redfish', interfaces: { boot: ['pxe', 'ipxe'], deploy: 'direct' } },
        { name: 'ipmi' },
      ]),
    ).toEqual([
      { name: 'redfish', interfaces: { boot: ['ipxe', 'pxe'], deploy: ['direct'] } },
      { name: 'ipmi', interfaces: {} },
    ]);
  });

  it.each<[string, { [kind: string]: string[] }, string[], string[]]>([
    ['redfish', { boot: ['ipxe', 'pxe'], deploy: ['direct'] }, [], []],
    [
      'redfish',
      { boot: ['redfish-virtual-media'] },
      ['Hardware type redfish has no boot interface redfish-virtual-media: ipxe, pxe are enabled.'],
      [],
    ],
    ['redfish', { firmware: ['redfish'] }, [], ['firmware']],
    ['idrac', { boot: ['ipxe'] }, ['No conductor has the hardware type idrac; there are: redfish.'], []],
  ])('%s %j', (name, interfaces, messages, untold) => {
    const found = driverProblems({ name, interfaces }, drivers);
    expect(found.wrong.map(({ message }) => message)).toEqual(messages);
    expect(found.untold).toEqual(untold);
  });
});

describe('validation', () => {
  const fit = { result: true };
  const SOURCE =
    "Cannot validate image information for node u because one or more parameters are missing from its instance_info and insufficient information is present to boot from a remote volume. Missing are: ['kernel', 'ramdisk']";
  it.each<[string, boolean, object, [string, string][]]>([
    ['all is fit', false, { power: fit, boot: fit }, []],
    ['nothing is to be deployed yet', false, { power: fit, boot: { result: false, reason: SOURCE } }, []],
    [
      'what is to be deployed is wrong',
      true,
      { boot: { result: false, reason: SOURCE } },
      [['boot', 'ironic']],
    ],
    [
      'the BMC is not known',
      false,
      {
        power: { result: false, reason: 'Missing the following Redfish properties: redfish_address' },
        boot: fit,
      },
      [['power', 'bmc']],
    ],
    ['what is not needed is not judged', false, { rescue: { result: false, reason: 'x' } }, []],
    ['what is not supported is not wrong', false, { storage: { result: null, reason: 'x' } }, []],
  ])('%s', (_what, hasInstance, answer, found) => {
    const wrong = validationProblems({ name: 'n1', hasInstance }, answer);
    expect(
      wrong.map(({ message, faultDomain }) => [/the (\w+) interface/.exec(message)?.[1], faultDomain]),
    ).toEqual(found);
  });

  it('tells what an answer says nothing of', () => {
    const answer = { boot: fit, deploy: fit, management: fit, network: fit, power: { result: null } };
    expect(untoldInterfaces(answer)).toEqual(['storage']);
    expect(untoldInterfaces({ ...answer, storage: {} }, ['console'])).toEqual(['storage', 'console']);
  });

  it('of the console where consoles are on', () => {
    const answer = { console: { result: false, reason: 'no port' } };
    expect(validationProblems({ name: 'n1', hasInstance: false }, answer, ['console'])).toHaveLength(1);
  });
});
