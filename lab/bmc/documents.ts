import { ROOT } from './services.ts';

const CHILDREN = [
  'Systems',
  'Chassis',
  'Managers',
  'SessionService',
  'AccountService',
  'UpdateService',
  'TaskService',
  'EventService',
];

/** The OData service document. */
export const SERVICE_DOCUMENT = {
  '@odata.context': `${ROOT}/$metadata`,
  value: [
    { name: 'Service', kind: 'Singleton', url: `${ROOT}/` },
    ...CHILDREN.map((name) => ({ name, kind: 'Singleton', url: `${ROOT}/${name}` })),
    { name: 'Sessions', kind: 'Singleton', url: `${ROOT}/SessionService/Sessions` },
  ],
};

/** The OData metadata document. */
export const METADATA = `<?xml version="1.0" encoding="UTF-8"?>
<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.0">
  <edmx:Reference Uri="http://redfish.dmtf.org/schemas/v1/ServiceRoot_v1.xml">
    <edmx:Include Namespace="ServiceRoot"/>
    <edmx:Include Namespace="ServiceRoot.v1_15_0"/>
  </edmx:Reference>
  <edmx:DataServices>
    <Schema xmlns="http://docs.oasis-open.org/odata/ns/edm" Namespace="Service">
      <EntityContainer Name="Service" Extends="ServiceRoot.v1_15_0.ServiceContainer"/>
    </Schema>
  </edmx:DataServices>
</edmx:Edmx>
`;
