import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { subset } from 'semver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { NODE_VERSIONS } from '../../../bin/settings/version.ts';
import { NODES } from '../../support/effort.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { createMetric } from '../../support/service/create.ts';
import { as, newIngestedSource } from '../../support/service/api-client.ts';
import { expectData } from '../../support/service/envelope.ts';
import { PRODUCT, runCommand, startProcess } from '../../support/service/node-process.ts';

/** The release: what `npm pack` makes, and what runs from it (docs/operation.md, "Install on a server"). */
const run = promisify(execFile);

const PACKAGE = '@cost-analytics/service';

/** The registry may be slow. `--prefer-offline` uses what `npm ci` of the checkout has just downloaded. */
const INSTALL = ['--prefer-offline', '--no-audit', '--no-fund'];

/** The environment without what the npm that runs the tests has set, such as the folder to install into. */
const environment = (node = process.execPath): NodeJS.ProcessEnv => ({
  ...process.env,
  npm_config_local_prefix: '',
  PATH: [dirname(node), process.env['PATH'] ?? ''].join(delimiter),
});

/** The packages of a lock file by their paths. */
const readLock = (text: string) =>
  z
    .object({
      packages: z.record(
        z.string(),
        z.object({
          dev: z.boolean().default(false),
          // Old packages have a list, which npm ignores.
          engines: z
            .union([
              z.object({ node: z.string().optional() }),
              z.array(z.string()).transform((): { node?: string | undefined } => ({})),
            ])
            .optional(),
        }),
      ),
    })
    .parse(JSON.parse(text));

const lock = readLock(await readFile(join(PRODUCT, 'package-lock.json'), 'utf8'));

let folder: string;
let tarball: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cost-analytics-release-'));
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: PRODUCT });
  tarball = join(folder, stdout.trim().split('\n').at(-1) ?? '');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the story of a first month with an installed product: two days of spend, and what they were spent on. */
async function expectToWork(product: string, node = process.execPath): Promise<void> {
  const dataDir = await mkdtemp(join(folder, 'data-'));
  const service = await startProcess({
    dataDir,
    product,
    node,
    environment: { CLOCK: '2026-02-07T06:00:00Z' },
  });
  try {
    // The code and the native libraries are those of the installation.
    const maps = await readFile(`/proc/${service.pid}/maps`, 'utf8');
    expect(maps).toContain(`${folder}/`);
    expect(maps).not.toContain(`${PRODUCT}/`);

    const create = ['org', 'create', '--name', 'Acme', '--tier', 'business', '--currency', 'USD', '--json'];
    const operator = { DATA_DIR: dataDir, COST_ANALYTICS_URL: service.url };
    const created = await runCommand(create, operator, { product, node });
    expect(created).toMatchObject({ code: 0, stderr: '' });
    const { key } = JSON.parse(created.stdout) as { key: { secret: string } };
    const admin = as(service, key.secret);

    const location = join(dataDir, 'bill.csv');
    await writeFile(location, focusCsv([dayLine('2026-01-30', '7.5'), dayLine('2026-01-31', '4.5')]));
    await newIngestedSource(admin, { name: 'Bill', kind: 'focus', location });
    const id = await createMetric(admin, {}, [{ period: '2026-01-31', value: 4 }]);
    const months = expectData(await admin.get<object[]>(`/metrics/${id}/months`));
    expect(months).toContainEqual(
      expect.objectContaining({ month: '2026-01', cost: 12, value: 4, unit_cost: 3 }),
    );

    const page = await fetch(service.url);
    expect({ status: page.status, html: await page.text() }).toMatchObject({
      status: 200,
      html: expect.stringContaining('<div id="root">') as string,
    });
  } finally {
    expect(await service.stop()).toBe(0);
  }
  const looked = await runCommand(
    ['doctor'],
    { DATA_DIR: dataDir, SOURCE_ROOTS: dataDir },
    { product, node },
  );
  expect(looked).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ok +Node: v/m) as string });
}

// A slow registry or disk can take minutes.
describe('the tarball', () => {
  it('has what an operator needs, and nothing that only a developer needs', async () => {
    const { stdout } = await run('tar', ['-tzf', tarball]);
    const files = stdout
      .trim()
      .split('\n')
      .map((path) => path.replace(/^package\//, ''));
    const needed = [
      'bin/cost-analytics.cjs',
      'dist/workflows/bundle.js',
      'dist/workflows/traced-bundle.js',
      'dist/web/index.html',
      'deploy/systemd/cost-analytics@.service',
      'deploy/prometheus/alerts.yaml',
      'docs/operation.md',
      'docs/call.sh',
      'scripts/fetch-duckdb-extensions.sh',
      'npm-shrinkwrap.json',
      'CHANGELOG.md',
      'compose.yaml',
      'LICENSE',
      'README.md',
      'SECURITY.md',
    ];
    expect(needed.filter((path) => !files.includes(path))).toEqual([]);
    expect(files.filter((path) => /\.ts$|\.map$|^(test|bench|web)\/|^dist\/bench\//.test(path))).toEqual([]);
  });

  it('has only packages that run on each Node that it runs on', () => {
    const refusing = Object.entries(lock.packages)
      .filter(([, { dev, engines }]) => !dev && !subset(NODE_VERSIONS, engines?.node ?? '*'))
      .map(([path]) => path);
    expect(refusing).toEqual([]);
  });

  it('has no tools of developers in what npm publish sends', async () => {
    const sent = await mkdtemp(join(folder, 'sent-'));
    await copyFile(join(PRODUCT, 'package-lock.json'), join(sent, 'package-lock.json'));
    const script = join(PRODUCT, 'scripts/write-shrinkwrap.mjs');
    await run(process.execPath, [script], { cwd: sent, env: { ...process.env, npm_command: 'publish' } });
    const { packages } = readLock(await readFile(join(sent, 'npm-shrinkwrap.json'), 'utf8'));
    const locked = Object.entries(lock.packages);
    expect(Object.keys(packages)).toEqual(locked.flatMap(([path, { dev }]) => (dev ? [] : [path])));
    expect(Object.keys(packages)).not.toContain('node_modules/vitest');
  });

  it('installs with the locked versions, and the service runs without the checkout', async () => {
    const installed = join(folder, 'locked');
    await mkdir(installed);
    await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
    const install = ['ci', '--omit=dev', '--ignore-scripts', ...INSTALL];
    await run('npm', install, { cwd: installed, env: environment() });
    await expectToWork(installed);
  });

  it.each(NODES)('runs on Node %s from an empty folder, as npx installs it', async (version) => {
    const project = join(folder, `node-${version}`);
    const nodePackage = `node-${process.platform}-${process.arch}`;
    await run('npm', ['install', '--prefix', project, `${nodePackage}@${version}`, ...INSTALL], {
      env: environment(),
    });
    const node = join(project, 'node_modules', nodePackage, 'bin/node');
    const empty = join(project, 'empty');
    await mkdir(empty);
    const installed = await run('npm', ['install', '--prefix', empty, tarball, ...INSTALL], {
      env: environment(node),
    });
    expect(installed.stderr).not.toContain('EBADENGINE');
    await expectToWork(join(empty, 'node_modules', PACKAGE), node);
  });
});
