import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lacking } from '../../support/needs.ts';
import { newOrganisation } from '../../support/service/api-client.ts';
import { PRODUCT } from '../../support/service/node-process.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';

/** Three generators make clients from the OpenAPI document. Each client compiles, and one story in its language uses it. */

const run = promisify(execFile);
const DOCUMENT = join(PRODUCT, 'dist/openapi.json');
const GENERATORS = process.env['CLIENT_GENERATORS'] ?? '';
const why = lacking('generators');

interface Packed {
  version: string;
}

let service: SharedService;
let folder: string;

beforeAll(async () => {
  service = await sharedService();
  folder = await mkdtemp(join(tmpdir(), 'cost-analytics-clients-'));
  await cp(import.meta.dirname, folder, { recursive: true });
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Runs a program in the folder of a language, and returns its output. */
const at =
  (language: string, environment: Record<string, string> = {}) =>
  async (program: string, ...parameters: string[]): Promise<string> => {
    const env = { ...process.env, ...environment };
    return (await run(program, parameters, { cwd: join(folder, language), env })).stdout;
  };

/** Copies a published client, and generates its code there. */
async function copyClient(language: string, target: string): Promise<void> {
  await cp(join(PRODUCT, 'clients', language), target, { recursive: true });
  await run(join(PRODUCT, 'scripts/write-client.sh'), [language, target]);
}

/** Expects a story to do what its client was asked: 90.25 orders in January, two pages of metrics, and a refusal. */
async function expectStory(story: (key: Record<string, string>) => Promise<string>): Promise<void> {
  const { secret } = await newOrganisation(service);
  const output = await story({ COST_ANALYTICS_URL: service.url, COST_ANALYTICS_KEY: secret });
  expect(JSON.parse(output)).toEqual({
    created: 1,
    january: 90.25,
    names: ['Orders', 'Visits'],
    error: 'metric "met_0" does not exist in this organisation',
  });
}

describe('a client that is generated from the OpenAPI document', () => {
  it('works in TypeScript: the published one', async () => {
    await symlink(join(PRODUCT, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    const here = at('typescript');
    // npm installs the packed client in the same way, with what it depends on.
    await copyClient('typescript', join(folder, 'packed'));
    await here('npm', 'pack', '--silent', '--ignore-scripts', '../packed');
    const installed = 'node_modules/cost-analytics-client';
    await mkdir(join(folder, 'typescript', installed), { recursive: true });
    const { version } = JSON.parse(await readFile(join(folder, 'packed/package.json'), 'utf8')) as Packed;
    const strip = ['--strip-components', '1'];
    await here('tar', '-xzf', `cost-analytics-client-${version}.tgz`, '-C', installed, ...strip);
    await here(join(PRODUCT, 'node_modules/.bin/tsc'), '--project', '.');
    await expectStory((key) => at('typescript', key)(process.execPath, 'story.js'));
  });

  it.skipIf(why !== '')(`works in Python: the published one${why}`, async () => {
    await copyClient('python', join(folder, 'python-client'));
    const installed = join(folder, 'python/installed');
    // What it is built with and what it depends on is there already.
    const alone = ['--no-index', '--no-deps', '--no-build-isolation'];
    const install = ['-m', 'pip', 'install', '--quiet', ...alone, '--target', installed, '../python-client'];
    await at('python', { PYTHONPATH: join(GENERATORS, 'python') })('python3', ...install);
    const environment = { PYTHONPATH: `${installed}:${join(GENERATORS, 'python')}` };
    await at('python', environment)('python3', '-m', 'compileall', '-q', 'installed/cost_analytics_client');
    await expectStory((key) => at('python', { ...key, ...environment })('python3', 'story.py'));
  });

  it.skipIf(why !== '')(`works in Go${why}`, async () => {
    const here = at('go');
    await here(join(GENERATORS, 'oapi-codegen'), '-config', 'oapi-codegen.yaml', DOCUMENT);
    await here('go', 'vet', '.');
    await expectStory((key) => at('go', key)('go', 'run', '.'));
  });
});

describe('the published clients', () => {
  it('have the version of the service', async () => {
    const versionIn = async (file: string): Promise<string | undefined> =>
      /^\s*"?version"?\s*[=:]\s*"([^"]+)"/m.exec(await readFile(join(PRODUCT, file), 'utf8'))?.[1];
    const version = await versionIn('package.json');
    expect(version).toMatch(/^\d/);
    expect(await versionIn('clients/typescript/package.json')).toBe(version);
    expect(await versionIn('clients/python/pyproject.toml')).toBe(version);
  });
});
