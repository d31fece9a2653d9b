import { afterEach, describe, expect, it } from 'vitest';
import {
  detailedTable,
  focusTableOf,
  standardTable,
  type GoogleCharge,
} from '../../../support/exports/google-bill.ts';
import { lacking } from '../../../support/needs.ts';
import { openDuckDb } from '../../../support/warehouse/engines.ts';
import type { Tenant } from '../../../support/warehouse/feeds.ts';
import { spendByDay } from '../../../support/warehouse/tenant.ts';
import { withOpened } from '../../../support/with-opened.ts';
import { startGoogle } from '../../../support/fakes/bigquery/fake-google.ts';
import { ingestRows, ingestTable, newTableSource, TABLE } from './google-source.ts';

/** January costs 1 and February 2. */
const CHARGES: GoogleCharge[] = [
  { from: '2026-01-10T05:00:00Z', to: '2026-01-10T06:00:00Z', cost: '1' },
  { from: '2026-02-03T05:00:00Z', to: '2026-02-03T06:00:00Z', cost: '2' },
];
const STORED = { '2026-01-10': '1.000000000000000', '2026-02-03': '2.000000000000000' };

describe.skipIf(lacking('sqlglot') !== '')(
  `what goes wrong with a table of BigQuery${lacking('sqlglot')}`,
  () => {
    const test = withOpened(openDuckDb);
    const google = withOpened(startGoogle);

    afterEach(() => {
      const { bigQuery } = google;
      bigQuery.revoked = false;
      bigQuery.instead = null;
      for (const permission of ['bigquery.jobs.create', 'bigquery.tables.getData'])
        bigQuery.project.permissions.add(permission);
    });

    /** Creates a source that has read the table once. */
    async function readSource(): Promise<Tenant> {
      const tenant = await newTableSource(test);
      await ingestRows(test, google, tenant, detailedTable(CHARGES));
      expect(await spendByDay(test.warehouse, tenant.orgId)).toEqual(STORED);
      return tenant;
    }

    /** Returns the message of a run that fails and changes nothing. */
    async function failureOf(tenant: Tenant, run: Parameters<typeof ingestTable>[3] = {}): Promise<string> {
      const before = await spendByDay(test.warehouse, tenant.orgId);
      const error: unknown = await ingestTable(test, google, tenant, run).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(await spendByDay(test.warehouse, tenant.orgId)).toEqual(before);
      if (!(error instanceof Error)) throw new Error('expected a failure');
      return error.message;
    }

    it('is said if the source has no credentials', async () => {
      const tenant = await readSource();
      expect(await failureOf(tenant, { hasCredentials: false })).toMatch(
        /^credentials: expected a service account of Google Cloud, .* store \{"type": "google"/,
      );
    });

    it('is said if the table is not there', async () => {
      const tenant = await readSource();
      google.tables.delete(TABLE);
      expect(await failureOf(tenant)).toMatch(
        /^location: check the ids of the project, the data set and the table.* \(BigQuery: Not found: Table acme-billing:billing\./,
      );
    });

    it('names the missing right', async () => {
      const tenant = await readSource();
      const { permissions } = google.bigQuery.project;
      permissions.delete('bigquery.jobs.create');
      expect(await failureOf(tenant)).toMatch(
        /^credentials: grant the service account the role BigQuery Job User on its own project/,
      );
      permissions.add('bigquery.jobs.create');
      permissions.delete('bigquery.tables.getData');
      expect(await failureOf(tenant)).toMatch(
        /^location: grant the service account the role BigQuery Data Viewer on the data set/,
      );
    });

    it('names the columns that a table lacks, and the kind that another bill needs', async () => {
      const tenant = await newTableSource(test);
      const { fields, rows } = standardTable(CHARGES);
      await google.tables.set(TABLE, {
        fields: fields.filter(({ name }) => !['invoice', 'credits'].includes(name)),
        rows,
      });
      expect(await failureOf(tenant)).toBe(
        'location: mandatory column credits.amount; invoice.month is missing in the table; nothing was loaded',
      );
      await google.tables.set(TABLE, focusTableOf(CHARGES));
      expect(await failureOf(tenant)).toBe(
        'location: the table has the columns of FOCUS: make the source one of kind focus; nothing was loaded',
      );
      const focus = await newTableSource(test, 'focus');
      await google.tables.set(TABLE, detailedTable(CHARGES));
      expect(await failureOf(focus)).toBe(
        "location: the table has the columns of Google's usage cost tables: make the source one of kind gcp_billing; nothing was loaded",
      );
    });

    it('tells the bytes of a query above the cap, and bills none', async () => {
      const tenant = await newTableSource(test, 'gcp_billing', { max_bytes: 20 * 2 ** 20 });
      await google.tables.set(TABLE, { ...detailedTable(CHARGES), bytesPerRow: 30 * 2 ** 20 });
      const { started } = google.bigQuery.project;
      const before = started.length;
      expect(await failureOf(tenant)).toMatch(
        /^options\.max_bytes: expected the list of billing periods to process at most 0\.02 GB \(20971520 bytes\) in BigQuery, got 0\.06 GB \(62914560 bytes\): raise options\.max_bytes/,
      );
      expect(started).toHaveLength(before);
      const roomy = await newTableSource(test, 'gcp_billing', { max_bytes: 100 * 2 ** 20 });
      await ingestTable(test, google, roomy);
      for (const id of started.slice(before))
        expect(google.bigQuery.project.jobs.get(id)?.configuration.query.maximumBytesBilled).toBe(
          '104857600',
        );
    });

    it('reads the jobs of an attempt that was killed, and bills nothing twice', async () => {
      const tenant = await newTableSource(test);
      await google.tables.set(TABLE, detailedTable(CHARGES));
      const { project } = google.bigQuery;
      const before = project.started.length;
      const killed = new AbortController();
      // Dies after the second query, the roll-up of January.
      google.bigQuery.answered = ({ kind }) => {
        if (kind === 'insert' && project.started.length === before + 2) killed.abort(new Error('killed'));
      };
      expect(await failureOf(tenant, { runId: 'run_killed', signal: killed.signal })).toBe('killed');
      google.bigQuery.answered = null;
      const first = project.started.slice(before);
      expect(first).toHaveLength(2);
      await ingestTable(test, google, tenant, { runId: 'run_killed' });
      expect(await spendByDay(test.warehouse, tenant.orgId)).toEqual(STORED);
      const all = project.started.slice(before);
      expect(all.slice(0, 2)).toEqual(first);
      // The periods, both roll-ups, and the lists of both: January is the newest complete month.
      expect(all).toHaveLength(5);
      expect(new Set(all).size).toBe(5);
      expect(all.every((id) => id.startsWith('cost-analytics-run_killed-'))).toBe(true);
    });

    it('fails a run whose credentials are revoked half way', async () => {
      const tenant = await readSource();
      await google.tables.set(TABLE, detailedTable([...CHARGES, { cost: '5' }]));
      let inserts = 0;
      google.bigQuery.instead = ({ kind }) => {
        if (kind === 'insert' && ++inserts > 2) google.bigQuery.revoked = true;
        return undefined;
      };
      expect(await failureOf(tenant)).toMatch(/^credentials: create a new key for the service account/);
      expect(inserts).toBe(3);
    });

    it('fails a run whose right goes between the dry run and the query', async () => {
      const tenant = await readSource();
      google.bigQuery.instead = ({ kind }) => {
        if (kind === 'insert') google.bigQuery.project.permissions.delete('bigquery.tables.getData');
        return undefined;
      };
      expect(await failureOf(tenant)).toMatch(/BigQuery Data Viewer on the data set/);
    });

    it('refuses another currency', async () => {
      const tenant = await readSource();
      await google.tables.set(TABLE, detailedTable([...CHARGES, { cost: '5', currency: 'EUR' }]));
      expect(await failureOf(tenant)).toMatch(/^currency: expected USD, .* got EUR in 1 rows/);
    });

    it('counts lines that cannot be read by their reason, and doubts their months', async () => {
      const tenant = await newTableSource(test);
      const many = Array.from({ length: 400 }, (): GoogleCharge => ({ cost: '1' }));
      const broken: GoogleCharge[] = [
        { from: null, invoice: '202601', cost: '1' },
        { cost: null },
        { cost: '1', invoice: null },
      ];
      const { rowsRead, rowsRejected, rejectedSamples } = await ingestRows(
        test,
        google,
        tenant,
        detailedTable([...many, ...broken]),
      );
      expect([rowsRead, rowsRejected]).toEqual([403, 3]);
      expect(
        rejectedSamples.map(({ problem, rows, file }) => `${problem} ${rows} ${String(file)}`).sort(),
      ).toEqual([
        `cost: expected a decimal number, got nothing 1 bigquery://${TABLE}#2026-01`,
        'invoice.month: expected a UTC time, got nothing 1 null',
        `usage_start_time: expected a UTC time, got nothing 1 bigquery://${TABLE}#2026-01`,
      ]);
      const doubts = await test.warehouse.query(
        `SELECT code, month FROM load_doubts JOIN current_loads USING (org_id, source_id, load_id, billing_period) WHERE org_id = $org ORDER BY ALL`,
        { org: tenant.orgId },
      );
      expect(doubts).toEqual([{ code: 'rejected_rows', month: '2026-01-01' }]);
      await ingestRows(test, google, tenant, detailedTable([...many.slice(0, 50), ...broken])).then(
        () => expect.unreachable(),
        (error: unknown) => {
          expect(String(error)).toMatch(/3 of 53 rows cannot be read, more than 1 %: nothing was loaded/);
        },
      );
    });
  },
);
