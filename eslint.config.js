import js from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';
import { citedPages } from './scripts/cited-pages.mjs';

/** One style of functions at the top level: `function` for several statements, an arrow for one expression. */
const FUNCTIONS = [
  {
    selector:
      ':matches(Program, ExportNamedDeclaration) > VariableDeclaration > VariableDeclarator:not([id.typeAnnotation]) > ArrowFunctionExpression[expression=false]',
    message: 'Declare a function of several statements with `function`.',
  },
  {
    selector:
      ':matches(Program, ExportNamedDeclaration) > FunctionDeclaration[body.body.length=1] > BlockStatement > ReturnStatement[argument]',
    message: 'Write a function of one expression as an arrow.',
  },
];

export default tseslint.config(
  {
    ignores: [
      ...['dist', 'data', 'node_modules', 'coverage', 'web/http/generated'],
      // They import what a test generates, and the test compiles them.
      ...['clients', 'test/e2e/clients/typescript'],
    ],
  },
  js.configs.recommended,
  {
    ignores: ['scripts/cited-pages.mjs'],
    plugins: { project: { rules: { 'cited-pages': citedPages } } },
    rules: { 'project/cited-pages': 'error' },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
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
      // Fastify requires asynchronous plugins and hooks, even if they await nothing.
      '@typescript-eslint/require-await': 'off',
      'no-console': 'error',
      'no-restricted-syntax': ['error', ...FUNCTIONS],
    },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    ignores: ['test/**', 'bench/**', 'demo/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...FUNCTIONS,
        {
          selector: 'CallExpression[callee.name=/^mkdir/] Property[key.name="recursive"]',
          message: 'Use makeFolder of files/make-folder.ts, because this never ends below /proc.',
        },
      ],
    },
  },
  {
    files: ['test/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...FUNCTIONS,
        {
          selector:
            'CallExpression[callee.callee.property.name="skipIf"]:not([arguments.0.type="TemplateLiteral"])',
          message: 'End the title with what this machine lacks: `lacking(…)` of test/support/needs.ts.',
        },
        {
          selector:
            'CallExpression[callee.object.name="vi"][callee.property.name=/^wait(For|Until)$/]:not(:has(Identifier[name="WAIT_MS"]))',
          message:
            'Wait up to WAIT_MS of test/support/patience.ts, because a busy machine reaches the default.',
        },
        {
          selector: 'CallExpression[callee.object.name="vi"][callee.property.name=/^(do)?mock$/i]',
          message:
            'Pass the replacement as an argument, because another file of the process may have loaded the module.',
        },
        {
          selector: 'Property[key.name=/^(timeout|hookTimeout|testTimeout)$/] > Literal.value',
          message: 'Take a limit of test/support/patience.ts.',
        },
      ],
    },
  },
  {
    files: ['web/**'],
    extends: [reactHooks.configs.flat.recommended],
    rules: {
      // The router takes redirects from a throw.
      '@typescript-eslint/only-throw-error': [
        'error',
        { allow: [{ from: 'package', package: '@tanstack/router-core', name: 'Redirect' }] },
      ],
    },
  },
  {
    files: ['**/*.cjs', '**/*.mjs', '**/*.js'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        require: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
      },
    },
  },
);
