import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/**
 * Imports point one way: `api` and `workflows` → `activities` use `warehouse`, all may use `domain`,
 * `domain` uses nothing. Each entry names the folders that a folder may not import.
 */
const FORBIDDEN_IMPORTS = {
  domain: [
    'egress',
    'security',
    'temporal',
    'warehouse',
    'activities',
    'workflows',
    'api',
    'bin',
    'bench',
    'test',
  ],
  egress: ['security', 'temporal', 'warehouse', 'activities', 'workflows', 'api', 'bin', 'bench', 'test'],
  security: ['egress', 'temporal', 'warehouse', 'activities', 'workflows', 'api', 'bin', 'bench', 'test'],
  temporal: ['egress', 'security', 'warehouse', 'activities', 'workflows', 'api', 'bin', 'bench', 'test'],
  warehouse: ['egress', 'temporal', 'activities', 'workflows', 'api', 'bin', 'bench', 'test'],
  activities: ['temporal', 'workflows', 'api', 'bin', 'bench', 'test'],
  workflows: ['egress', 'security', 'temporal', 'warehouse', 'api', 'bin', 'bench', 'test'],
  api: ['activities', 'bin', 'bench', 'test'],
  bin: ['bench', 'test'],
  bench: ['test'],
};

const importDirection = Object.entries(FORBIDDEN_IMPORTS).map(([folder, forbidden]) => ({
  files: [`${folder}/**/*.ts`],
  rules: {
    '@typescript-eslint/no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            regex: `^(\\.\\.?/)+(${forbidden.join('|')})/`,
            // A workflow may name the types of its activities, a client those of its workflows.
            allowTypeImports: folder === 'workflows' || folder === 'api',
            message: `${folder} must not import from ${forbidden.join(', ')}`,
          },
          ...(folder === 'domain'
            ? [{ regex: '^(node:|@temporalio|@duckdb|fastify)', message: 'domain is pure: no I/O' }]
            : []),
          // Benchmarks measure against bare DuckDB.
          ...(folder === 'warehouse' || folder === 'bench'
            ? []
            : [{ regex: '^@duckdb/', message: 'only warehouse/ speaks to DuckDB' }]),
        ],
      },
    ],
  },
}));

export default tseslint.config(
  { ignores: ['dist', 'data', 'node_modules', 'coverage'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // Fastify's plugins and hooks are asynchronous by contract, with or without something to wait for.
      '@typescript-eslint/require-await': 'off',
      'no-console': 'error',
    },
  },
  ...importDirection,
  {
    files: ['**/*.cjs', '**/*.mjs', '**/*.js'],
    languageOptions: {
      globals: { process: 'readonly', console: 'readonly', require: 'readonly', URL: 'readonly' },
    },
  },
);
