import type { Day } from '../../../domain/shared/calendar.ts';
import { idAfter } from '../../../warehouse/engine/sql/ids.ts';
import type { TestWarehouse } from './engines.ts';

/** A tag key of a cloud or a split of an account, as if a metric had first picked it on `firstDay`. */
export interface Chosen {
  kind: 'tag' | 'split';
  cloud: string;
  account?: string;
  choice: string;
  firstDay: Day;
  /** The day since which nothing picks it; not given if something does. */
  unusedSince?: Day;
}

let newest: string | null = null;

/** Stores choices of an organisation. */
export async function choose(
  { warehouse }: Pick<TestWarehouse, 'warehouse'>,
  orgId: string,
  ...chosen: readonly Chosen[]
): Promise<void> {
  for (const { kind, cloud, account = '', choice, firstDay, unusedSince = null } of chosen) {
    newest = idAfter(newest);
    await warehouse.run(
      `INSERT INTO spend_choice_versions BY NAME
       SELECT $org AS org_id, $kind AS kind, $cloud AS cloud, $account AS account, $version::UUID AS version_id,
         $choice AS choice, $first::DATE AS first_day, $unused::DATE AS unused_since, $first::TIMESTAMP AS changed_at`,
      { org: orgId, kind, cloud, account, version: newest, choice, first: firstDay, unused: unusedSince },
    );
  }
}
