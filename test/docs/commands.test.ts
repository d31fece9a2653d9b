import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type ServiceProcess } from '../support/service/service-process.ts';
import { THOROUGH } from '../support/effort.ts';
import { ROUTES, SESSION_ROUTES, type Route, type Who } from '../support/service/routes.ts';
import { blocksOf, PRODUCT, readPages, tableBelow, type Block } from './page.ts';
import { openPageShell } from './page-shell.ts';
import { differenceTo } from './shown-output.ts';
import { lacking } from '../support/needs.ts';

/**
 * Runs the commands of every page in order, with one shell for each page, and compares their output with the page. All pages use
 * one service, which README.md starts. Its OpenAPI document has the requests that the HTTP guide lists.
 */
const START = /^((?:[A-Z_]+=\S+ )*)npx --no-install cost-analytics start$/;
const REFUSAL = /"success": ?false/;

const pages = await readPages();
const blocks = pages.map(({ path, text }) => ({ path, blocks: blocksOf(text) }));
const starts = (block: Block): boolean => block.notRun === null && START.test(block.text);

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

let checkout: string;
let service: ServiceProcess;
const ports = new Map<number, number>();

/** Returns the settings before the command that starts the service. */
function settingsOf(command: string): Record<string, string> {
  const [, settings = ''] = START.exec(command) ?? [];
  return Object.fromEntries(
    settings
      .trim()
      .split(' ')
      .map((setting) => setting.split('=') as [string, string]),
  );
}

beforeAll(async () => {
  // A separate checkout, because the pages write their exports into ./data.
  checkout = await mkdtemp(join(tmpdir(), 'cost-analytics-docs-'));
  for (const part of ['bin', 'dist', 'docs', 'package.json', 'node_modules'])
    await symlink(join(PRODUCT, part), join(checkout, part));
  const dataDir = join(checkout, 'data');
  await mkdir(dataDir);
  const command = blocks.flatMap((page) => page.blocks).find(starts)?.text ?? '';
  service = await startService({ dataDir, environment: { SOURCE_ROOTS: '', ...settingsOf(command) } });
  // The ports in the pages: the service, a webhook's listener, and OpenCost.
  ports.set(8080, Number(new URL(service.url).port));
  for (const port of [8081, 9003]) ports.set(port, await freePort());
});

afterAll(async () => {
  await service.stop();
  await rm(checkout, { recursive: true, force: true });
});

describe('the pages', () => {
  it('start the service once', () => {
    const found = blocks.flatMap((page) => page.blocks.filter(starts).map(() => page.path));
    expect(found).toEqual(['README.md']);
  });
});

const why = lacking('shell');

describe.skipIf(why !== '')(`the commands${why} of`, () => {
  // README.md comes first.
  for (const page of THOROUGH ? blocks : blocks.slice(0, 1)) {
    it.concurrent(page.path, async () => {
      const name = page.path.replace(/\W+/g, '-');
      const shell = await openPageShell(
        name,
        checkout,
        { COST_ANALYTICS_URL: service.url, SOURCE_ROOTS: '' },
        ports,
      );
      try {
        for (const block of page.blocks) {
          if (block.language !== 'sh' || block.notRun !== null || starts(block)) continue;
          const where = `${page.path}:${block.line}`;
          const { code, printed } = await shell.run(block.text);
          const difference = block.shown === null ? null : differenceTo(block.shown, printed);
          expect({ where, difference }).toEqual({ where, difference: null });
          if (block.shown === null || !REFUSAL.test(block.shown.text))
            expect({ where, refused: REFUSAL.test(printed) ? printed : null }).toEqual({
              where,
              refused: null,
            });
          expect({ where, code, printed: code === 0 ? '' : printed }).toEqual({
            where,
            code: 0,
            printed: '',
          });
        }
      } finally {
        await shell.close();
      }
    });
  }
});

describe('the table of requests', () => {
  const guide = pages.find(({ path }) => path === 'docs/http.md')?.text ?? '';
  const rows = tableBelow(guide, '## All requests');
  const requestOf = (cell = ''): string => cell.replaceAll('`', '');

  it('has every request of the OpenAPI document, and no other', async () => {
    const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, unknown>>;
    };
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace('/api/v1', '')}`),
    );
    expect(rows.map(([request]) => requestOf(request)).sort()).toEqual(described.sort());
  });

  it('names the permission of each request', () => {
    const words: Record<Who, string> = {
      any: 'any key',
      R: 'read',
      W: 'write',
      A: 'admin',
      values: 'metrics:ingest or write',
      files: 'metrics:ingest or admin',
      usage: 'usage:ingest or write',
    };
    const who = ({ who, unitEconomics }: Route): string =>
      `${words[who]}${unitEconomics === true ? ', Professional' : ''}`;
    const shown = rows.map(([request, who]) => [requestOf(request), who]);
    const expected = [
      ...ROUTES.map((route) => [`${route.method} ${route.path}`, who(route)]),
      ...SESSION_ROUTES.map((route) => [`${route.method} ${route.path}`, route.who]),
    ];
    const operators = shown.filter(([, who]) => who === 'operator');
    expect(operators.every(([request]) => request?.includes(' /operator/'))).toBe(true);
    expect(shown.filter((row) => !operators.includes(row)).sort()).toEqual(expected.sort());
  });
});
