import { randomUUID } from 'node:crypto';
import { ingestSource } from '../../../../activities/sources/ingest-source.ts';
import { serviceAccountKeyOf } from '../../../../domain/shared/service-account-key.ts';
import { COST_SOURCES, type NewCostSource } from '../../../../warehouse/sources/cost-sources.ts';
import type { LoadResult } from '../../../../warehouse/sources/publishing/load.ts';
import type { FakeGoogle } from '../../../support/fakes/bigquery/fake-google.ts';
import type { FakeTable } from '../../../support/fakes/bigquery/fake-tables.ts';
import type { TestWarehouse } from '../../../support/warehouse/engines.ts';
import { ingestOf, loading, type Tenant } from '../../../support/warehouse/feeds.ts';
import { newOrganisation, newSource } from '../../../support/warehouse/tenant.ts';

export const TABLE = 'acme-billing.billing.gcp_billing_export_resource_v1_01AAAA_02BBBB_03CCCC';

type Options = Extract<NewCostSource, { kind: 'gcp_billing' }>['options'];

/** Creates an organisation with a source that reads a table. */
export async function newTableSource(
  { warehouse }: Pick<TestWarehouse, 'warehouse'>,
  kind: 'focus' | 'gcp_billing' = 'gcp_billing',
  options: Partial<Options> = {},
): Promise<Tenant> {
  const { id: orgId } = await newOrganisation(warehouse);
  const { id: sourceId } = await newSource(warehouse, orgId, {
    kind,
    location: `bigquery://${TABLE}`,
    options: { cost_column: 'EffectiveCost', ...options },
  });
  return { orgId, sourceId };
}

/** How a test ingests a table. */
export interface TableRun {
  runId?: string;
  signal?: AbortSignal;
  /** False: the source has no credentials. */
  hasCredentials?: boolean;
  startMonth?: string;
  endMonth?: string;
}

/** Ingests the table of a source, whatever it holds now. */
export async function ingestTable(
  test: Pick<TestWarehouse, 'warehouse' | 'directory'>,
  { bigQuery }: FakeGoogle,
  tenant: Tenant,
  {
    runId = `run_${randomUUID().replaceAll('-', '')}`,
    signal,
    hasCredentials = true,
    ...months
  }: TableRun = {},
): Promise<LoadResult> {
  const source = await COST_SOURCES.find(test.warehouse, tenant.orgId, tenant.sourceId);
  if (source === null) throw new Error('the source is gone');
  return loading(test, (sessions) => {
    const ingest = ingestOf(test, sessions, tenant, { runId, ...months });
    return ingestSource(source, {
      ...ingest,
      attempt: { ...ingest.attempt, ...(signal === undefined ? {} : { signal }) },
      bigQueryEndpoint: bigQuery.url,
      credentials: hasCredentials
        ? { type: 'google', service_account: serviceAccountKeyOf(bigQuery.account.key) }
        : null,
    });
  });
}

/** Sets the table, and ingests it. */
export async function ingestRows(
  test: Pick<TestWarehouse, 'warehouse' | 'directory'>,
  google: FakeGoogle,
  tenant: Tenant,
  table: FakeTable,
  run: TableRun = {},
): Promise<LoadResult> {
  await google.tables.set(TABLE, table);
  return ingestTable(test, google, tenant, run);
}

/** Everything that a load has stored of a bill, as exact text. */
export async function storedBill({ warehouse }: Pick<TestWarehouse, 'warehouse'>, orgId: string) {
  const rows = (table: string, columns: string): Promise<object[]> =>
    warehouse.query(
      `SELECT ${columns} FROM ${table} JOIN current_loads USING (org_id, source_id, load_id, billing_period)
       WHERE org_id = $org ORDER BY ALL`,
      { org: orgId },
    );
  return {
    spend: await rows(
      'cloud_spend',
      'billing_period, day, cloud, account, split_kind, split_value, tag_key, tag_value, resource_id, resource_name, zone, cloud_spend.cost',
    ),
    names: await rows('account_names', 'billing_period, cloud, account, name'),
    values: await rows(
      'bill_values',
      'billing_period, cloud, account, split_kind, split_value, tag_key, tag_value, bill_values.cost',
    ),
    days: await rows('bill_days', 'billing_period, day, inside_day, bill_days.cost'),
    units: await rows(
      'load_units',
      'billing_period, load_units.kind, unit, days, spend_days, load_units.cost',
    ),
    doubts: await rows('load_doubts', 'billing_period, month, code, unit, amount, phrase'),
    loads: await warehouse.query(
      `SELECT billing_period, rows_read, cost_total, first_day, last_day, delivered_through FROM current_loads
       WHERE org_id = $org ORDER BY ALL`,
      { org: orgId },
    ),
  };
}
