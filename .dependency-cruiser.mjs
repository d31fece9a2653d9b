// Imports run one way: from a layer to those below it, and inside a layer from a subject to those listed before it.

/** Layers, each with the other layers that it may import. */
const LAYERS = {
  domain: [],
  files: [],
  telemetry: ['domain'],
  egress: ['domain', 'files'],
  security: ['domain'],
  warehouse: ['domain', 'files', 'security', 'telemetry'],
  activities: ['domain', 'egress', 'security', 'telemetry', 'warehouse'],
  // Workflows import the types of their activities (see below).
  workflows: ['domain', 'activities'],
  temporal: ['domain', 'files', 'workflows'],
  api: ['domain', 'egress', 'security', 'telemetry', 'warehouse', 'temporal'],
  bin: [
    'domain',
    'files',
    'egress',
    'security',
    'telemetry',
    'warehouse',
    'activities',
    'workflows',
    'temporal',
    'api',
    'demo',
  ],
  demo: ['domain', 'egress', 'api', 'bin'],
  // The dashboard runs in browsers. It speaks with the API, whose types are generated.
  web: ['domain'],
  bench: ['domain', 'egress', 'security', 'warehouse', 'activities', 'temporal', 'api', 'bin', 'demo'],
};

/** Subjects of a layer, lowest first. A layer's own files come last, so that they may import all its subjects. */
const SUBJECTS = {
  domain: [
    'shared',
    'organisations',
    'sources',
    'spend',
    'teams',
    'metrics',
    'imports',
    'months',
    'events',
    'exports',
  ],
  egress: ['requests', 'buckets', 'locations', 'exports'],
  warehouse: [
    'engine',
    'organisations',
    'sources',
    'spend',
    'teams',
    'metrics',
    'imports',
    'months',
    'events',
    'exports',
    'upgrade',
  ],
  // Kinds of sources come after these (see below).
  'warehouse/sources': ['feeds', 'publishing'],
  activities: ['shared', 'sources', 'imports'],
  temporal: ['cli', 'dev-server'],
  api: [
    'http',
    'requests',
    'access',
    'routes',
    'organisations',
    'sources',
    'operator',
    'spend',
    'teams',
    'months',
    'metrics',
    'imports',
    'overview',
    'events',
    'exports',
    'assistant',
    'operations',
    'document',
    'dashboard',
  ],
  bin: ['settings', 'service', 'backup'],
  web: [
    'http',
    'shared',
    'organisations',
    'spend',
    'sources',
    'teams',
    'metrics',
    'imports',
    'months',
    'events',
    'overview',
    'app',
    'pages',
  ],
};

/** Layers whose subjects import the layer's own files, instead of the reverse. */
const OWN_FILES_FIRST = ['temporal'];

const anyOf = (folders) => `^(${folders.join('|')})/`;

const layerRules = Object.entries(LAYERS).map(([layer, below]) => ({
  name: `${layer}-imports-only-layers-below`,
  severity: 'error',
  from: { path: `^${layer}/` },
  to: { path: anyOf([...Object.keys(LAYERS), 'test']), pathNot: anyOf([layer, ...below]) },
}));

const subjectRules = Object.entries(SUBJECTS).flatMap(([layer, subjects]) => {
  const ownFiles = OWN_FILES_FIRST.includes(layer) ? [] : [`^${layer}/[^/]+$`];
  return subjects
    .map((subject, index) => ({
      subject,
      above: [...subjects.slice(index + 1).map((later) => `^${layer}/${later}/`), ...ownFiles],
    }))
    .filter(({ above }) => above.length > 0)
    .map(({ subject, above }) => ({
      name: `${layer}-${subject}-imports-only-subjects-before-it`,
      severity: 'error',
      from: { path: `^${layer}/${subject}/` },
      to: { path: above },
    }));
});

/** Folders that belong to one kind of source. Other kinds must not import them, and share only `feeds` and `publishing`. */
const kindRules = ['focus', 'opencost'].map((kind) => ({
  name: `other-sources-do-not-import-${kind}`,
  severity: 'error',
  from: { path: '^warehouse/sources/', pathNot: `^warehouse/sources/${kind}/` },
  to: { path: `^warehouse/sources/${kind}/` },
}));

/** Folders that belong to one platform of imports. */
const platformRule = {
  name: 'platforms-do-not-import-each-other',
  severity: 'error',
  from: { path: '^(?:domain|activities)/imports/([^/]+)/' },
  to: {
    path: '^(?:domain|activities)/imports/[^/]+/',
    pathNot: '^(?:domain|activities)/imports/$1/',
  },
};

const unknownFolders = {
  name: 'every-folder-is-a-listed-subject',
  comment: 'List a new subject in this file, at its place in the order.',
  severity: 'error',
  from: {},
  to: {
    path: `^(${Object.keys(SUBJECTS).join('|')})/[^/]+/`,
    pathNot: Object.entries(SUBJECTS).map(([layer, subjects]) => `^${layer}/(${subjects.join('|')})/`),
  },
};

export default {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-missing-modules', severity: 'error', from: {}, to: { couldNotResolve: true } },
    ...layerRules,
    ...subjectRules,
    ...kindRules,
    platformRule,
    unknownFolders,
    {
      name: 'workflows-take-only-types-from-activities',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { path: '^activities/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'only-the-contract-of-workflows-is-imported',
      severity: 'error',
      from: { path: '^(temporal|bin)/' },
      to: { path: '^workflows/', pathNot: '^workflows/contract\\.ts$' },
    },
    {
      name: 'domain-is-pure',
      comment: 'No I/O, so that tests of rules need no server, database or file.',
      severity: 'error',
      from: { path: '^domain/' },
      to: { path: ['^node:', '/node_modules/(@temporalio|@duckdb|fastify)'], dependencyTypes: ['core'] },
    },
    {
      name: 'one-file-decides-who-sees-revenue',
      comment: 'A vault opens revenue. The API makes one only for callers who may see it.',
      severity: 'error',
      from: { path: '^api/', pathNot: '^api/access/revenue-access\\.ts$' },
      to: { path: '^warehouse/metrics/revenue-vault\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'only-the-warehouse-uses-duckdb',
      comment: 'Benchmarks and tests may also use it, to compare with bare DuckDB.',
      severity: 'error',
      from: { pathNot: '^(warehouse|bench|test)/' },
      to: { path: 'node_modules/@duckdb/' },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: ['node_modules', '^dist/'] },
    // A test compiles the clients, which import what is generated.
    exclude: { path: '^(dist|clients|test/e2e/clients/typescript)/' },
    enhancedResolveOptions: {
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      exportsFields: ['exports'],
    },
  },
};
