import { BIOS_ATTRIBUTES } from '../bios-attributes.ts';
import { collection, resource, ROOT, type Resource, type Tree } from './services.ts';

export const BIOS_REGISTRY = 'BiosAttributeRegistryLab.v1_0_0';
const REGISTRIES = `${ROOT}/Registries`;
const FILE = `${REGISTRIES}/${BIOS_REGISTRY}`;
const REGISTRY = `${FILE}.json`;

/** The registries of a BMC: the one that describes the attributes of its BIOS. */
export function registryTree(bios: { readonly [attribute: string]: unknown }): Tree {
  return {
    [REGISTRIES]: () => collection(REGISTRIES, 'MessageRegistryFile', [BIOS_REGISTRY]),
    [FILE]: () =>
      resource(FILE, 'MessageRegistryFile.v1_1_3.MessageRegistryFile', 'BIOS Attribute Registry File', {
        Languages: ['en'],
        Registry: BIOS_REGISTRY,
        Location: [{ Language: 'en', Uri: REGISTRY }],
      }),
    [REGISTRY]: () => ({
      ...resource(REGISTRY, 'AttributeRegistry.v1_3_6.AttributeRegistry', 'BIOS Attribute Registry', {
        Language: 'en',
        OwningEntity: 'Lab',
        RegistryVersion: '1.0.0',
        RegistryEntries: { Attributes: attributes(bios), Dependencies: dependencies() },
      }),
      Id: BIOS_REGISTRY,
    }),
  };
}

const attributes = (bios: { readonly [attribute: string]: unknown }): Resource[] =>
  Object.entries(BIOS_ATTRIBUTES).map(([name, attribute]) => ({
    AttributeName: name,
    DisplayName: attribute.title,
    Type: attribute.type,
    ReadOnly: attribute.readOnly === true,
    WriteOnly: attribute.writeOnly === true,
    ResetRequired: true,
    CurrentValue: bios[name] ?? null,
    ...(attribute.values === undefined
      ? {}
      : { Value: attribute.values.map((value) => ({ ValueName: value, ValueDisplayName: value })) }),
    ...(attribute.lower === undefined ? {} : { LowerBound: attribute.lower }),
    ...(attribute.upper === undefined ? {} : { UpperBound: attribute.upper }),
    ...(attribute.maxLength === undefined ? {} : { MinLength: 0, MaxLength: attribute.maxLength }),
  }));

const dependencies = (): Resource[] =>
  Object.entries(BIOS_ATTRIBUTES).flatMap(([name, { onlyWith }]) =>
    onlyWith === undefined
      ? []
      : [
          {
            Type: 'Map',
            DependencyFor: name,
            Dependency: {
              MapFrom: [
                {
                  MapFromAttribute: onlyWith[0],
                  MapFromProperty: 'CurrentValue',
                  MapFromCondition: 'NEQ',
                  MapFromValue: onlyWith[1],
                },
              ],
              MapToAttribute: name,
              MapToProperty: 'ReadOnly',
              MapToValue: true,
            },
          },
        ],
  );
