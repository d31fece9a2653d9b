import { apiBaseText } from '../../domain/imports/stripe/api-base.ts';
import { access } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSettings, SECRETS } from '../../bin/settings/settings.ts';
import { runCommand } from '../support/service/service-process.ts';
import { blocksOf, PRODUCT, readPages, tableBelow } from './page.ts';

const MOST_README_LINES = 150;
const WIDTH = 130;

const pages = await readPages();
function pageAt(path: string): string {
  const page = pages.find((each) => each.path === path);
  if (page === undefined) throw new Error(`expected the page ${path}`);
  return page.text;
}

/** Returns a page without its blocks of code. */
const prose = (text: string): string => text.replace(/^```[^]*?^```$/gm, '');

/** Returns the anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');

const anchorsOf = (text: string): string[] =>
  [...prose(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

describe('the pages', () => {
  it('have only links that work', async () => {
    const broken: string[] = [];
    for (const { path, text } of pages)
      for (const [, target = ''] of prose(text).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^https?:/.test(target)) continue;
        const [file = '', anchor] = target.split('#');
        const linked = file === '' ? path : join(dirname(path), file);
        const isBroken =
          !(await isThere(join(PRODUCT, linked))) ||
          (anchor !== undefined && !anchorsOf(pageAt(linked)).includes(anchor));
        if (isBroken) broken.push(`${path}: ${target}`);
      }
    expect(broken).toEqual([]);
  });

  it('are all in the table of contents of the README, which stays short', () => {
    const readme = pageAt('README.md');
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(MOST_README_LINES);
    const contents = tableBelow(readme, '## Documentation').join('\n');
    for (const { path } of pages.slice(1)) expect(contents).toContain(`(${path})`);
  });

  it('wrap their text', () => {
    const long = pages.flatMap(({ path, text }) =>
      prose(text)
        .split('\n')
        .filter((line) => line.length > WIDTH && !line.trimStart().startsWith('|'))
        .map((line) => `${path}: ${line}`),
    );
    expect(long).toEqual([]);
  });

  it('let npx run only what is installed, or a file', () => {
    const downloads = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\bnpx (?!--no-install\b|\.\/).*/g)].map(([line]) => `${path}: ${line}`),
    );
    expect(downloads).toEqual([]);
  });

  it('have only commands and their outputs, or blocks with a reason why they are not run', () => {
    const unmarked = pages.flatMap(({ path, text }) =>
      blocksOf(text)
        .filter(({ language, notRun }) => language !== 'sh' && notRun === null)
        .map(({ line, language }) => `${path}:${line}: ${language || 'block'}`),
    );
    expect(unmarked).toEqual([]);
  });

  it('show what commands print directly below them', () => {
    const blocks = blocksOf(
      '```sh\nls\n```\n\n```text\na\n```\n\n<!-- not run: costs money -->\n\n```sh\nbuy\n```\n',
    );
    expect(blocks).toEqual([
      { line: 1, language: 'sh', text: 'ls', notRun: null, shown: { language: 'text', text: 'a' } },
      { line: 11, language: 'sh', text: 'buy', notRun: 'costs money', shown: null },
    ]);
  });
});

describe('the table of settings', () => {
  const rows = tableBelow(pageAt('docs/operation.md'), '## Settings');
  const settings = readSettings({});
  const inData = (path: string): string => path.replace(settings.dataDir, '<data>');
  const defaults: Record<string, string> = {
    ...Object.fromEntries(
      Object.entries(settings)
        .filter(([name]) => /^[A-Z0-9_]+$/.test(name))
        .map(([name, value]) => [
          name,
          typeof value === 'string' || typeof value === 'number' ? `\`${value}\`` : '–',
        ]),
    ),
    PORT: `\`${settings.port}\``,
    WAREHOUSE: `\`${inData(settings.warehouse)}\``,
    SOURCE_ROOTS: settings.sourceRoots.map((root) => `\`${inData(root)}\``).join(),
    WEBHOOK_TIMEOUT: `\`${settings.webhookTimeoutMs / 1000}\``,
    // Settings without a default value. The tests of the command check what replaces it.
    OPERATOR_KEY: 'in `<data>/operator.key`',
    MASTER_KEY: 'in `<data>/master.key`',
    STRIPE_API_BASE: `\`${apiBaseText(settings.STRIPE_API_BASE)}\``,
    DUCKDB_MEMORY_LIMIT: 'a quarter of the memory, at most `1GB`',
    DUCKDB_THREADS: 'all cores; 1 on DuckLake',
    AWS_ENDPOINT_URL_S3: 'AWS',
    AWS_ENDPOINT_URL_STS: 'AWS',
    AZURE_STORAGE_ENDPOINT: 'Azure',
    GCS_ENDPOINT_URL: 'Google',
    CLOCK: "the machine's",
    COST_ANALYTICS_URL: 'from `HOST` and `PORT`',
  };

  it('has every setting with its default', () => {
    expect(resolve(settings.DATA_DIR)).toBe(settings.dataDir);
    const shown = Object.fromEntries(
      rows.map(([name = '', value = '']) => [name.replaceAll('`', ''), value]),
    );
    expect(shown).toEqual(defaults);
  });

  it('has a list of all settings that can be read from files', () => {
    const [, section = ''] = pageAt('docs/operation.md').split('\n## Secrets in files\n');
    const [list = ''] = section.split('\n## ');
    const named = [...list.matchAll(/`([A-Z_]+)_FILE`/g)].map(([, name]) => name);
    expect(named.sort()).toEqual([...SECRETS].sort());
  });

  it('explains every setting', () => {
    for (const [name, , meaning] of rows)
      expect([name, meaning]).toEqual([name, expect.stringMatching(/\S/)]);
  });
});

describe('the table of commands', () => {
  it('has every command that the help lists', async () => {
    const help = async (...command: string[]): Promise<string[]> => {
      const { stdout } = await runCommand([...command, '--help'], {});
      return [...(stdout.split('Commands:')[1] ?? '').matchAll(/^ {2}([\w-]+)/gm)].map(
        ([, name = '']) => name,
      );
    };
    const table = tableBelow(pageAt('docs/operation.md'), '## Commands')
      .map(([command = '']) => command)
      .join('\n');
    const org = (await help('org')).map((name) => `org ${name}`);
    const commands = [...(await help()), ...org].filter((name) => !name.endsWith('help'));
    expect(commands).toContain('org key');
    for (const name of commands) expect(table).toMatch(new RegExp(`\`${name}[ \`]`));
  });
});
