// The arrows of the house: client, workers -> workflows, activities -> contracts -> core. One way.
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: `^${from}/` },
  to: { pathNot: allowed },
});

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    only('core-is-alone', 'core', ['^core/'], 'core imports nothing'),
    only(
      'contracts-on-core',
      'contracts',
      ['^contracts/', '^core/', 'node_modules/zod/'],
      'contracts import zod and core',
    ),
    only(
      'workflows-are-deterministic',
      'workflows',
      ['^workflows/', '^core/', 'node_modules/@temporalio/(workflow|common)/'],
      'workflows import core and the workflow SDK; what activities look like stands in core',
    ),
    only(
      'activities-below-processes',
      'activities',
      ['^activities/', '^contracts/', '^core/', 'node_modules/', '^(node:)?[a-z_/]+$'],
      'activities never import workflows, workers, client or lab',
    ),
    only(
      'workers-beside-client',
      'workers',
      [
        '^workers/',
        '^workflows/',
        '^activities/',
        '^contracts/',
        '^core/',
        'node_modules/',
        '^(node:)?[a-z_/]+$',
      ],
      'workers never import client or lab',
    ),
    only(
      'client-beside-workers',
      'client',
      [
        '^client/',
        '^workflows/',
        '^activities/',
        '^contracts/',
        '^core/',
        'node_modules/',
        '^(node:)?[a-z_/]+$',
      ],
      'client never imports workers or lab: it starts them as processes',
    ),
    only(
      'lab-is-apart',
      'lab',
      ['^lab/', '^core/', 'node_modules/', '^(node:)?[a-z_/]+$'],
      'the lab is reached over the network; it shares pure functions of core and nothing else',
    ),
    only(
      'docs-are-made-of-tables',
      'docs',
      ['^docs/', '^contracts/', '^core/', '^lab/fault-switches\\.ts$', '^(node:)?[a-z_/]+$'],
      'pages are made from the tables of core and contracts, and from the list of fault switches',
    ),
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
