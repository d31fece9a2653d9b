import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { startAzurite } from '../../support/fakes/buckets/azurite.ts';
import { startBucketServer } from '../../support/fakes/buckets/versitygw.ts';
import { lacking } from '../../support/needs.ts';
import { ingest, newOrganisation, type Api, type Run } from '../../support/service/api-client.ts';
import { expectData } from '../../support/service/envelope.ts';
import { fromCsv, writeTable } from '../../support/warehouse/duckdb-files.ts';
import { withService } from '../../support/service/with-service.ts';
import { withOpened } from '../../support/with-opened.ts';

/** Bills in buckets that credentials of their sources open, through the real workflow. Microsoft's and Google's, too. */

const why = lacking('extensions', 'versitygw');

/** Two days of January, 40.5 and 2 USD. */
const BILL = focusCsv([dayLine('2026-01-10', '40.5'), dayLine('2026-01-11', '2')]);
/** A file of an older delivery, which no manifest names. */
const LEFT = focusCsv([dayLine('2026-01-10', '1000')]);

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
  const service = withService({ CLOCK: '2026-02-07T06:00:00Z', PRIVATE_TARGETS: '127.0.0.1' });
  let contents: Record<(typeof FORMATS)[number], Buffer>;
  const keys = new Map<string, { keyId: string; secret: string }>();

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cost-analytics-formats-'));
    const [csv, parquet] = [join(folder, 'bill.csv'), join(folder, 'bill.parquet')];
    await writeFile(csv, BILL);
    await writeTable(parquet, fromCsv(csv));
    contents = { csv: Buffer.from(BILL), 'csv.gz': gzipSync(BILL), parquet: await readFile(parquet) };
    await rm(folder, { recursive: true });
    for (const name of ['acme', 'globex']) keys.set(name, await server.newUser(`${name}-key-0001`, `${name}-bills`));
  });

  const keyOf = (name: string) => keys.get(name) ?? { keyId: '', secret: '' };

  /** A cloud's bucket of a company, and the credentials of the company for it. */
  const CLOUDS = {
    s3: {
      root: (name: string) => `s3://${name}-bills`,
      put: (name: string, path: string, content: Buffer | string) => server.put(`${name}-bills`, path, content),
      credentials: (name: string) => ({
        type: 's3',
        access_key_id: keyOf(name).keyId,
        secret_access_key: keyOf(name).secret,
        endpoint: server.url,
      }),
    },
    gs: {
      root: (name: string) => `gs://${name}-bills`,
      put: (name: string, path: string, content: Buffer | string) => server.put(`${name}-bills`, path, content),
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
});
