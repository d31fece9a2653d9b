import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { startAzurite } from '../../support/fakes/buckets/azurite.ts';
import { startRelay } from '../../support/fakes/buckets/relay.ts';
import { startBucketServer } from '../../support/fakes/buckets/versitygw.ts';
import { filesWith } from '../../support/fakes/search-bytes.ts';
import { lacking } from '../../support/needs.ts';
import {
  as,
  ingest,
  newOrganisation,
  waitFor,
  type Api,
  type Run,
} from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { fromCsv, writeTable } from '../../support/warehouse/duckdb-files.ts';
import { textLike } from '../../support/service/matchers.ts';
import { runCommand } from '../../support/service/service-process.ts';
import { withService } from '../../support/service/with-service.ts';
import { withOpened } from '../../support/with-opened.ts';

/** Bills in buckets that credentials of their sources open, through the real workflow. Microsoft's and Google's, too. */

const why = lacking('extensions', 'versitygw');

/** Two days of January, 40.5 and 2 USD. */
const BILL = focusCsv([dayLine('2026-01-10', '40.5'), dayLine('2026-01-11', '2')]);
/** A file of an older delivery, which no manifest names. */
const LEFT = focusCsv([dayLine('2026-01-10', '1000')]);

const COSTS = '/costs?start_date=2026-01-01&end_date=2026-01-31';

const ENVIRONMENT = { CLOCK: '2026-02-07T06:00:00Z', PRIVATE_TARGETS: '127.0.0.1' };

const FORMATS = ['csv', 'csv.gz', 'parquet'] as const;

interface Shown {
  id: string;
  location: string;
  credentials: { type: string; hint: string; set_at: string } | null;
  last_run: Run | null;
}

describe.skipIf(why !== '')(`sources in buckets${why}`, () => {
  const azurite = withOpened(() => startAzurite(['acmebills', 'globexbills']));
  const server = withOpened(startBucketServer);
  const service = withService(ENVIRONMENT);
  let contents: Record<(typeof FORMATS)[number], Buffer>;
  const keys = new Map<string, { keyId: string; secret: string }>();

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cost-analytics-formats-'));
    const [csv, parquet] = [join(folder, 'bill.csv'), join(folder, 'bill.parquet')];
    await writeFile(csv, BILL);
    await writeTable(parquet, fromCsv(csv));
    contents = { csv: Buffer.from(BILL), 'csv.gz': gzipSync(BILL), parquet: await readFile(parquet) };
    await rm(folder, { recursive: true });
    for (const name of ['acme', 'globex'])
      keys.set(name, await server.newUser(`${name}-key-0001`, `${name}-bills`));
  });

  const keyOf = (name: string) => keys.get(name) ?? { keyId: '', secret: '' };

  /** A cloud's bucket of a company, and the credentials of the company for it. */
  const CLOUDS = {
    s3: {
      root: (name: string) => `s3://${name}-bills`,
      put: (name: string, path: string, content: Buffer | string) =>
        server.put(`${name}-bills`, path, content),
      credentials: (name: string) => ({
        type: 's3',
        access_key_id: keyOf(name).keyId,
        secret_access_key: keyOf(name).secret,
        endpoint: server.url,
      }),
    },
    gs: {
      root: (name: string) => `gs://${name}-bills`,
      put: (name: string, path: string, content: Buffer | string) =>
        server.put(`${name}-bills`, path, content),
      credentials: (name: string) => ({
        type: 'gcs',
        access_id: keyOf(name).keyId,
        secret: keyOf(name).secret,
        endpoint: server.url,
      }),
    },
    az: {
      root: (name: string) => `az://${name}bills/exports`,
      put: (name: string, path: string, content: Buffer | string) =>
        azurite.put(`${name}bills`, 'exports', path, content),
      credentials: (name: string) => ({
        type: 'azure',
        sas_token: azurite.sasOf(`${name}bills`),
        endpoint: azurite.url,
      }),
    },
  } as const;
  const SCHEMES = ['s3', 'gs', 'az'] as const;

  const connect = async (admin: Api, location: string, credentials: object, name = 'Bill'): Promise<Shown> =>
    expectData(await admin.post<Shown>('/cost-sources', { name, kind: 'focus', location, credentials }));

  const put = (admin: Api, id: string, credentials: object) =>
    admin.send<Shown>('PUT', `/cost-sources/${id}/credentials`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(credentials),
    });

  it.each(SCHEMES.flatMap((scheme) => FORMATS.map((format) => ({ scheme, format }))))(
    'reads what the manifest names: $scheme, $format',
    async ({ scheme, format }) => {
      const cloud = CLOUDS[scheme];
      const folder = `${scheme} ${format}/focus`;
      const partition = 'BILLING_PERIOD=2026-01';
      const file = `focus-00001.${format}`;
      await cloud.put('acme', `${folder}/data/${partition}/${file}`, contents[format]);
      await cloud.put('acme', `${folder}/data/${partition}/focus-00002.csv`, LEFT);
      await cloud.put(
        'acme',
        `${folder}/metadata/${partition}/focus-Manifest.json`,
        JSON.stringify({ dataFiles: [`s3://elsewhere/focus/data/${partition}/${file}`] }),
      );
      const { admin } = await newOrganisation(service);
      const location = `${cloud.root('acme')}/${folder}/`;
      const { id } = await connect(admin, location, cloud.credentials('acme'));
      expect(await ingest(admin, id)).toMatchObject({
        status: 'completed',
        months: ['2026-01'],
        rows_read: 2,
        cost_total: 42.5,
        notes: [],
        error: null,
      });
    },
  );

  it('are read at once by two companies, of which none sees the other’s', async () => {
    const totals: Record<string, number> = {};
    const wanted: Record<string, number> = {};
    const runs = SCHEMES.flatMap((scheme) =>
      ['acme', 'globex'].map(async (name, index) => {
        const cloud = CLOUDS[scheme];
        const cost = 10 * (index + 1);
        await cloud.put(name, `together-${scheme}/bill.csv`, focusCsv([dayLine('2026-01-10', `${cost}`)]));
        const { admin } = await newOrganisation(service);
        const location = `${cloud.root(name)}/together-${scheme}/*.csv`;
        const { id } = await connect(admin, location, cloud.credentials(name));
        const { cost_total: total } = await ingest(admin, id);
        totals[`${scheme} ${name}`] = total ?? 0;
        wanted[`${scheme} ${name}`] = cost;
      }),
    );
    await Promise.all(runs);
    expect(totals).toEqual(wanted);

    const { admin } = await newOrganisation(service);
    for (const scheme of SCHEMES) {
      const cloud = CLOUDS[scheme];
      const location = `${cloud.root('globex')}/together-${scheme}/*.csv`;
      // Without credentials, only what the operator lists can be named: here nothing.
      expectError(
        await admin.post('/cost-sources', { name: 'Theirs', kind: 'focus', location }),
        400,
        /^location: .*SOURCE_BUCKETS/,
      );
      expectError(
        await admin.post('/cost-sources', {
          name: 'Theirs',
          kind: 'focus',
          location,
          credentials: cloud.credentials('acme'),
        }),
        400,
        scheme === 'az'
          ? /^credentials: the storage account globexbills refuses the sas_token or account_key: copy it again, and check the account/
          : /^credentials: the key may not list the bucket globex-bills: allow it (s3:ListBucket|storage\.objects\.list)/,
      );
      // The location is changed later, to where the own credentials lead nowhere.
      const own = `${cloud.root('acme')}/together-${scheme}/*.csv`;
      const { id } = await connect(admin, own, cloud.credentials('acme'), `Mine ${scheme}`);
      expectData(await admin.patch(`/cost-sources/${id}`, { location }));
      expect(await ingest(admin, id)).toMatchObject({
        status: 'failed',
        error: textLike(/^location: the (key may not list|storage account globexbills refuses)/),
      });
    }
    expect(expectData(await admin.get<{ total: number }>(COSTS)).total).toBe(0);
  });

  it('are refused with wrong credentials by a sentence that says what to change, and nothing is stored', async () => {
    const { admin } = await newOrganisation(service);
    const { s3, az } = CLOUDS;
    await s3.put('acme', 'wrong/bill.csv', BILL);
    await az.put('acme', 'wrong/bill.csv', BILL);
    const sas = (changes: object) => ({
      ...az.credentials('acme'),
      sas_token: azurite.sasOf('acmebills', changes),
    });
    const key = { ...az.credentials('acme'), sas_token: undefined, account_key: azurite.keyOf('acmebills') };
    const inBucket = `${s3.root('acme')}/wrong/`;
    const inContainer = `${az.root('acme')}/wrong/`;
    const cases: [location: string, credentials: object, problem: string | RegExp][] = [
      [inBucket, { ...s3.credentials('acme'), region: 'eu-west-1' }, 'set region to us-east-1'],
      [inBucket, { ...s3.credentials('acme'), access_key_id: 'nobody' }, 'the access_key_id is not known'],
      [
        inBucket,
        { ...s3.credentials('acme'), secret_access_key: 'hush-hush-hush' },
        'the secret_access_key does not belong to the access_key_id: copy both again',
      ],
      ['s3://no-such-bucket/x/', s3.credentials('acme'), 'there is no bucket no-such-bucket'],
      [inBucket, { ...s3.credentials('acme'), endpoint: azurite.url }, /\S/],
      [inBucket, { ...s3.credentials('acme'), endpoint: 'http://10.1.2.3:9000' }, 'PRIVATE_TARGETS'],
      [inBucket, { ...s3.credentials('acme'), session_token: 'hush-hush' }, /\S/],
      [inBucket, sas({}), 'credentials.type: expected "s3"'],
      [inContainer, sas({ expires: new Date('2026-01-01') }), 'the sas_token has expired'],
      [inContainer, sas({ permissions: 'r' }), 'the sas_token may not list the container exports'],
      [inContainer, sas({ permissions: 'l' }), 'the sas_token may not read the container exports'],
      // A folder need not end in a slash.
      [
        inContainer.replace(/\/$/, ''),
        sas({ permissions: 'l' }),
        'the sas_token may not read the container exports',
      ],
      [
        inContainer,
        { ...key, account_key: azurite.keyOf('globexbills') },
        'check the account in the location',
      ],
      ['az://acmebills/nothing/x/', key, 'the storage account acmebills has no container nothing'],
      ['az://nobodysbills/exports/x/', key, /nobodysbills/],
    ];
    const { id } = await connect(admin, inContainer, key);
    const before = expectPage(await admin.get<Shown[]>('/cost-sources')).items;
    for (const [location, credentials, problem] of cases) {
      const refused = await admin.post('/cost-sources', {
        name: 'Wrong',
        kind: 'focus',
        location,
        credentials,
      });
      expectError(refused, 400, /^credentials/, problem);
      expect(refused.body.error).not.toMatch(/hush|sig=/);
      if (location === inContainer)
        expectError(await put(admin, id, credentials), 400, /^credentials/, problem);
    }
    expect(expectPage(await admin.get<Shown[]>('/cost-sources')).items).toEqual(before);
    expect(await ingest(admin, id)).toMatchObject({ status: 'completed', cost_total: 42.5 });
  });

  it('have credentials that only admins set, replace and remove, and that nobody reads', async () => {
    const { id: orgId, admin } = await newOrganisation(service);
    const { az } = CLOUDS;
    await az.put('acme', 'shown/bill.csv', BILL);
    const location = `${az.root('acme')}/shown/`;
    const source = await connect(admin, location, az.credentials('acme'));
    const hint = textLike(/^SAS until \d{4}-\d\d-\d\d$/);
    const set_at = '2026-02-07T06:00:00.000Z';
    expect(source.credentials).toEqual({ type: 'azure', hint, set_at });
    const path = `/cost-sources/${source.id}`;
    const key = { type: 'azure', account_key: azurite.keyOf('acmebills'), endpoint: azurite.url };
    expect(expectData(await put(admin, source.id, key)).credentials).toEqual({
      type: 'azure',
      hint: 'account key',
      set_at,
    });
    const { secret } = expectData(
      await admin.post<{ secret: string }>('/keys', { name: 'Writer', permission: 'write' }),
    );
    const writer = as(service, secret);
    expectError(await put(writer, source.id, key), 403);
    expectError(await writer.delete(`${path}/credentials`), 403);
    expect(expectData(await writer.get<Shown>(path)).credentials).toMatchObject({ type: 'azure' });

    expect(expectData(await admin.delete<Shown>(`${path}/credentials`)).credentials).toBeNull();
    expect(await ingest(admin, source.id)).toMatchObject({
      status: 'failed',
      error: textLike(/^location: .*SOURCE_BUCKETS.*az:\/\/acmebills\/exports\//),
    });
    expectError(await put(admin, 'src_of_nobody', key), 404);
    const { items } = expectPage(
      await admin.get<{ action: string; target: string; detail: object }[]>('/audit-log?limit=1000'),
    );
    const written = JSON.stringify(items.filter(({ target }) => target === source.id));
    expect(written).toContain('credential');
    expect(written).not.toMatch(/sig=|account_key/);
    expect(orgId).toMatch(/^org_/);
  });

  it('fail and change nothing once their credentials are revoked, also while they are read', async () => {
    const { s3, az } = CLOUDS;
    keys.set('initech', await server.newUser('initech-key-0001', 'initech-bills'));
    const { admin } = await newOrganisation(service);
    await s3.put('initech', 'revoked/a.csv', BILL);
    await az.put('globex', 'revoked/a.csv', focusCsv([dayLine('2026-01-12', '7')]));
    const bucket = await connect(
      admin,
      `${s3.root('initech')}/revoked/`,
      s3.credentials('initech'),
      'Bucket',
    );
    const blobs = await connect(admin, `${az.root('globex')}/revoked/`, az.credentials('globex'), 'Blobs');
    await ingest(admin, bucket.id);
    await ingest(admin, blobs.id);
    const total = async () => expectData(await admin.get<{ total: number }>(COSTS)).total;
    expect(await total()).toBe(49.5);
    await s3.put('initech', 'revoked/a.csv', LEFT);
    await server.deleteUser('initech-key-0001');
    await azurite.changeKey('globexbills');
    expect(await ingest(admin, bucket.id)).toMatchObject({
      status: 'failed',
      error: textLike(/^location: the access_key_id is not known/),
    });
    expect(await ingest(admin, blobs.id)).toMatchObject({
      status: 'failed',
      error: textLike(/^location: the storage account globexbills refuses the sas_token/),
    });
    expect(await total()).toBe(49.5);
    expectData(await put(admin, blobs.id, az.credentials('globex')));
    expect(await ingest(admin, blobs.id)).toMatchObject({ status: 'completed' });
  });

  it.each(['s3', 'az'] as const)('change nothing if they are revoked half way: %s', async (scheme) => {
    const [name, account] = [`hooli-${scheme}`, 'globexbills'];
    const { keyId, secret } = await server.newUser(`${name}-key-0001`, `${name}-bills`);
    const isS3 = scheme === 's3';
    const storage = isS3 ? server : azurite;
    const relay = await startRelay(() => storage.url);
    const put = (path: string, content: string) =>
      isS3 ? server.put(`${name}-bills`, path, content) : azurite.put(account, 'halfway', path, content);
    const location = isS3 ? `s3://${name}-bills/bills/` : `az://${account}/halfway/bills/`;
    const credentials = isS3
      ? { type: 's3', access_key_id: keyId, secret_access_key: secret, endpoint: relay.url }
      : { type: 'azure', sas_token: azurite.sasOf(account), endpoint: relay.url };
    const { admin } = await newOrganisation(service);
    await put('bills/a.csv', BILL);
    const { id } = await connect(admin, location, credentials);
    await ingest(admin, id);
    const total = async () => expectData(await admin.get<{ total: number }>(COSTS)).total;
    expect(await total()).toBe(42.5);

    // The header is read, and then the content, for which the credentials are too old.
    await put('bills/a.csv', LEFT);
    let contents = 0;
    relay.before = async ({ url = '' }) => {
      if (!url.includes('a.csv') || ++contents !== 2) return;
      await (isS3 ? server.deleteUser(keyId) : azurite.changeKey(account));
    };
    expect(await ingest(admin, id)).toMatchObject({ status: 'failed', rows_read: 0 });
    expect(contents).toBeGreaterThan(1);
    expect(await total()).toBe(42.5);
    await relay.close();
  });

  it('are read once, and completely, if the service is killed half way', async () => {
    const relay = await startRelay(() => azurite.url);
    const { admin, secret } = await newOrganisation(service);
    await azurite.put('acmebills', 'killed', 'bills/a.csv', BILL);
    const sas_token = azurite.sasOf('acmebills');
    const credentials = { type: 'azure', sas_token, endpoint: relay.url };
    const { id } = await connect(admin, 'az://acmebills/killed/bills/', credentials);
    let contents = 0;
    const asked = new Promise<void>((halfway) => {
      relay.before = async ({ url = '' }) => {
        if (!url.includes('a.csv') || ++contents !== 2) return;
        halfway();
        await new Promise(() => undefined);
      };
    });
    const { run_id } = expectData(await admin.post<{ run_id: string }>(`/cost-sources/${id}/ingest`));
    await asked;
    await service.kill();
    const sig = new URLSearchParams(sas_token).get('sig') ?? '';
    expect(
      await filesWith(
        service.dataDir,
        [sig, encodeURIComponent(sig)].map((form) => Buffer.from(form)),
      ),
    ).toEqual([]);
    await service.start();
    const after = as(service, secret);
    const run = await waitFor(async () => {
      const { items } = expectPage(await after.get<Run[]>(`/cost-sources/${id}/runs`));
      return items.find((one) => one.run_id === run_id && one.status !== 'running');
    });
    expect(run).toMatchObject({ status: 'completed', rows_read: 2, cost_total: 42.5 });
    expect(expectData(await after.get<{ total: number }>(COSTS)).total).toBe(42.5);
    await relay.close();
  });

  it('leave no credential in clear on disk, in the log or in a workflow, and none at all once they are gone', async () => {
    const { admin } = await newOrganisation(service);
    const secrets: string[] = [];
    const ids: string[] = [];
    for (const scheme of SCHEMES) {
      const cloud = CLOUDS[scheme];
      await cloud.put('acme', 'hidden/bill.csv', BILL);
      const { id } = await connect(
        admin,
        `${cloud.root('acme')}/hidden/`,
        cloud.credentials('acme'),
        `Hidden ${scheme}`,
      );
      await ingest(admin, id);
      ids.push(id);
    }
    const wrong = { ...CLOUDS.s3.credentials('acme'), secret_access_key: 'wrong-secret-of-nobody' };
    expectError(await put(admin, ids[0] ?? '', wrong), 400);
    const sig = new URLSearchParams(CLOUDS.az.credentials('acme').sas_token).get('sig') ?? '';
    secrets.push(keyOf('acme').secret, sig, encodeURIComponent(sig), azurite.keyOf('acmebills'));
    secrets.push('wrong-secret-of-nobody');
    expectData(await admin.delete(`/cost-sources/${ids[1] ?? ''}`));
    await service.stop();
    const forms = secrets.map((secret) => Buffer.from(secret));
    expect(forms.every(({ length }) => length > 10)).toBe(true);
    expect(await filesWith(service.dataDir, forms)).toEqual([]);
    expect(secrets.filter((secret) => service.logs().includes(secret))).toEqual([]);
    await service.start();
  });

  it('are read with the operator’s credentials only where SOURCE_BUCKETS lists them, and the doctor names the others', async () => {
    await service.stop();
    const own = {
      SOURCE_BUCKETS: 'az://acmebills/operator/{organisation}/',
      AZURE_STORAGE_KEY: azurite.keyOf('acmebills'),
      AZURE_STORAGE_ENDPOINT: azurite.url,
    };
    await service.start({ ...ENVIRONMENT, ...own });
    const [acme, globex] = [await newOrganisation(service), await newOrganisation(service)];
    for (const { id } of [acme, globex]) await azurite.put('acmebills', 'operator', `${id}/bill.csv`, BILL);
    const at = (id: string) => ({
      name: 'Listed',
      kind: 'focus',
      location: `az://acmebills/operator/${id}/`,
    });
    expectError(await acme.admin.post('/cost-sources', at(globex.id)), 400, /^location: .*SOURCE_BUCKETS/);
    const source = expectData(await acme.admin.post<Shown>('/cost-sources', at(acme.id)));
    expect(source.credentials).toBeNull();
    expect(await ingest(acme.admin, source.id)).toMatchObject({ status: 'completed', cost_total: 42.5 });
    await service.stop();
    const doctor = async (environment: object) => {
      const { stdout } = await runCommand(['doctor'], {
        ...ENVIRONMENT,
        ...environment,
        DATA_DIR: service.dataDir,
      });
      return stdout.split('\n').filter((line) => line.includes('SOURCE_BUCKETS') && line.includes(source.id));
    };
    expect(await doctor(own)).toEqual([]);
    expect(await doctor({})).toEqual([textLike(/^PROBLEM SOURCE_BUCKETS: .*"Listed"/)]);
  });
});
