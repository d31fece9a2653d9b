import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
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
const bin = (name: string): string => join(PRODUCT, 'node_modules/.bin', name);

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

/** Expects a story to do what its client was asked: 90.25 orders in January, two pages of metrics, and a refusal. */
const expectStory = async (story: (key: Record<string, string>) => Promise<string>): Promise<void> => {
  const { secret } = await newOrganisation(service);
  const output = await story({ COST_ANALYTICS_URL: service.url, COST_ANALYTICS_KEY: secret });
  expect(JSON.parse(output)).toEqual({
    created: 1,
    january: 90.25,
    names: ['Orders', 'Visits'],
    error: 'metric "met_0" does not exist in this organisation',
  });
};

describe('a client that is generated from the OpenAPI document', () => {
  it('works in TypeScript', async () => {
    await symlink(join(PRODUCT, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    const here = at('typescript');
    await here(bin('openapi-typescript'), DOCUMENT, '--output', 'client.d.ts');
    await here(bin('tsc'), '--project', '.');
    await expectStory((key) => at('typescript', key)(process.execPath, 'story.js'));
  });

  it.skipIf(why !== '')(`works in Python${why}`, async () => {
    const PYTHONPATH = join(GENERATORS, 'python');
    const here = at('python', { PYTHONPATH });
    const generate = ['generate', '--path', DOCUMENT, '--meta', 'none', '--output-path', 'client'];
    await here('python3', '-m', 'openapi_python_client', ...generate);
    await here('python3', '-m', 'compileall', '-q', 'client');
    await expectStory((key) => at('python', { ...key, PYTHONPATH })('python3', 'story.py'));
  });

  it.skipIf(why !== '')(`works in Go${why}`, async () => {
    const here = at('go');
    await here(join(GENERATORS, 'oapi-codegen'), '-config', 'oapi-codegen.yaml', DOCUMENT);
    await here('go', 'vet', '.');
    await expectStory((key) => at('go', key)('go', 'run', '.'));
  });
});
