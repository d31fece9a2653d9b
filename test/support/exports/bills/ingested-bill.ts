import type { Kind } from '../../../../domain/sources/kinds.ts';
import type { IngestRun } from '../../../../warehouse/sources/ingest-runs.ts';
import { ingestExports } from '../../service/local-ingest.ts';
import type { TestWarehouse } from '../../warehouse/engines.ts';
import { currentRows } from '../../warehouse/feeds.ts';
import { choose, type Chosen } from '../../warehouse/spend-choices.ts';
import { newOrganisation } from '../../warehouse/tenant.ts';
import type { ExportedSource } from '../exported-source.ts';

type Rows = Record<string, string | null>[];

/** What a bill leaves in the warehouse. */
export interface StoredBill {
  /** The daily money by all that picks can use. */
  spend: Rows;
  accounts: Rows;
  /** What the bill can be divided by. */
  values: Rows;
  /** The days on which accounts have delivered. */
  units: Rows;
  loads: Rows;
}

interface BillOptions {
  /** What divides the spend. */
  choices?: readonly Chosen[];
  options?: Record<string, unknown>;
  currency?: string;
}

/** Ingests a bill for a new organisation. Returns the run, and what it has stored. */
export async function ingestedBill(
  test: Pick<TestWarehouse, 'warehouse' | 'directory'>,
  kind: Kind,
  files: ExportedSource['files'],
  { choices = [], options = { cost_column: 'EffectiveCost' }, currency = 'USD' }: BillOptions = {},
): Promise<{ run: IngestRun | null; stored: StoredBill }> {
  const { id: orgId } = await newOrganisation(test.warehouse, { currency });
  await choose(test, orgId, ...choices);
  const [run = null] = await ingestExports(test, orgId, [{ kind, files, options }]);
  const rows = (table: string, columns: string): Promise<Rows> => currentRows(test, orgId, table, columns);
  return {
    run,
    stored: {
      spend: await rows(
        `(SELECT org_id, source_id, load_id, billing_period, day, cloud, account, split_kind, split_value, tag_key, tag_value,
            resource_id, resource_name, zone, sum(cost) AS cost FROM cloud_spend GROUP BY ALL) AS daily`,
        'billing_period, day, cloud, account, split_kind, split_value, tag_key, tag_value, resource_id, resource_name, zone, cost',
      ),
      accounts: await rows('account_names', 'cloud, account, name'),
      values: await rows('bill_values', 'cloud, account, split_kind, split_value, tag_key, tag_value, cost'),
      units: await rows('load_units', 'unit, days, spend_days, cost'),
      loads: await rows('loads', 'billing_period, first_day, last_day, delivered_through, cost_total'),
    },
  };
}
