import { mkdir, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  as,
  asOperator,
  ingest,
  newOrganisation,
  waitFor,
  type Api,
} from '../../support/service/api-client.ts';
import { expectData, expectError } from '../../support/service/envelope.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import {
  newDataDir,
  removeDataDir,
  runCommand,
  startService,
  type ServiceProcess,
} from '../../support/service/service-process.ts';
import { THOROUGH } from '../../support/effort.ts';

const CLOCK = '2026-02-07T06:00:00Z';
const BILL = focusCsv([dayLine('2026-01-31', '2.5')]);

let dataDir: string;
let service: ServiceProcess;

async function start(sourceRoots: string): Promise<void> {
  service = await startService({ dataDir, environment: { CLOCK, SOURCE_ROOTS: sourceRoots } });
}
const connect = (admin: Api, location: string, name = 'Bill') =>
  admin.post<{ id: string }>('/cost-sources', { name, kind: 'focus', location });
const untilLogged = (text: string) => waitFor(async () => service.logs().includes(text) || undefined);
async function doctor(sourceRoots = '') {
  const { code, stdout } = await runCommand(['doctor'], { DATA_DIR: dataDir, SOURCE_ROOTS: sourceRoots });
  return { code, found: stdout.split('\n').filter((line) => line.includes('SOURCE_ROOTS')) };
}

beforeAll(async () => {
  dataDir = await newDataDir();
});
afterAll(() => removeDataDir(dataDir));

describe('the default folders for exports', () => {
  afterAll(async () => {
    expect(await service.stop()).toBe(0);
  });

  it('are one for each organisation, which no other organisation can read', async () => {
    await start('');
    const [acme, rival] = [await newOrganisation(service), await newOrganisation(service)];
    const folders = [acme, rival].map(({ id }) => join(dataDir, 'exports', id));
    for (const folder of folders) expect((await stat(folder)).mode & 0o777).toBe(0o700);
    const [mine = '', theirs = ''] = folders;
    await mkdir(join(mine, 'aws'));
    await writeFile(join(mine, 'aws', '2026-01.csv'), BILL);

    // The same relative location is another file for each organisation.
    const source = expectData(await connect(acme.admin, 'aws')).id;
    expect(await ingest(acme.admin, source)).toMatchObject({ status: 'completed', cost_total: 2.5 });
    const empty = expectData(await connect(rival.admin, 'aws')).id;
    expect(await ingest(rival.admin, empty)).toMatchObject({ status: 'failed' });

    await symlink(mine, join(theirs, 'link'));
    for (const location of [
      join(mine, 'aws', '2026-01.csv'),
      join(dataDir, 'exports'),
      join(dataDir, 'exports', '*', 'aws', '*.csv'),
      `../${acme.id}/aws`,
      'link/aws',
    ])
      expectError(await connect(rival.admin, location, 'Stolen'), 400, /^location: /);
    // The files that match a glob are checked too.
    await symlink(join(mine, 'aws', '2026-01.csv'), join(theirs, 'stolen.csv'));
    const glob = expectData(await connect(rival.admin, '*.csv', 'Glob')).id;
    expect((await ingest(rival.admin, glob)).error).toMatch(/SOURCE_ROOTS/);
  });

  it('are in the answer when an organisation is made, and need no hint in the log', async () => {
    const operator = await asOperator(service);
    // Runs that failed before have said why.
    const before = service.logs().length;
    const organisation = { name: 'New', tier: 'starter', currency: 'USD' };
    const made = expectData(
      await operator.post<{ organisation: { id: string }; source_folder: string }>(
        '/organisations',
        organisation,
      ),
    );
    expect(made.source_folder).toBe(join(dataDir, 'exports', made.organisation.id));
    expect(service.logs().slice(before)).not.toContain('SOURCE_ROOTS');
  });
});

describe('folders that all organisations share', () => {
  it.runIf(THOROUGH)(
    'are reported at the start and by doctor, with the correction, until the files are moved',
    async () => {
      const shared = join(dataDir, 'exports');
      await start(shared);
      const { id, secret, admin } = await newOrganisation(service, { name: 'Old customer' });
      await writeFile(join(shared, 'old.csv'), BILL);
      const source = expectData(await connect(admin, join(shared, 'old.csv'), 'Old bill')).id;
      expect(await ingest(admin, source)).toMatchObject({ status: 'completed' });
      expect(await service.stop()).toBe(0);

      // Several organisations with one folder get only a note, because this can be intended.
      const note = `organisations can read each other's exports below ${shared}`;
      const instead = `SOURCE_ROOTS=${shared}/{organisation}`;
      expect(await doctor(shared)).toMatchObject({
        found: [expect.stringMatching(/^note +SOURCE_ROOTS: organisations can read/)],
      });
      await start(shared);
      await untilLogged(note);
      await untilLogged(instead);
      expect(await service.stop()).toBe(0);

      const problem = `organisation \\"Old customer\\" (${id}): its folders (SOURCE_ROOTS) do not hold the files`;
      const { code, found } = await doctor();
      expect(code).toBe(1);
      expect(found).toHaveLength(1);
      expect(found[0]).toContain(`"Old bill" (${source})`);
      await start('');
      await untilLogged(problem);
      expect(service.logs()).not.toContain(note);
      expect((await ingest(as(service, secret), source)).error).toMatch(/SOURCE_ROOTS/);

      // The correction that the hint names.
      await rename(join(shared, 'old.csv'), join(shared, id, 'old.csv'));
      expectData(await as(service, secret).patch(`/cost-sources/${source}`, { location: 'old.csv' }));
      expect(await service.stop()).toBe(0);
      expect(await doctor()).toEqual({ code: 0, found: [] });
    },
  );
});
