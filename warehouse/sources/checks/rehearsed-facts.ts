import { KINDS, type Kind } from '../../../domain/sources/kinds.ts';
import type { SpendSource } from '../../../domain/sources/spend-sources.ts';
import type { Session } from '../../engine/session.ts';
import { chargedMonths, type ChargedMonths } from './charged-months.ts';

/** What a rehearsed ingest has stored of a source. */
export interface RehearsedFacts extends ChargedMonths {
  units: string[];
  /** The accounts of a bill. */
  accounts: string[];
  /** The cloud with the most accounts of a bill; null for other kinds. */
  cloud: string | null;
  rows: number;
  /** Billing periods that read BilledCost instead of EffectiveCost. */
  fallenBack: number;
  /** Whether usage of AI tools names any repository; null if there is no usage. */
  namesRepositories: boolean | null;
  /** Whether the machines of clusters are known; null for other kinds. */
  hasAssets: boolean | null;
  /** Units whose charges stand twice in what the source reads: the newest month in words, and how many months they are. */
  twice: { phrase: string; months: number }[];
}

/**
 * The days with charges. A charge that is spread over days does not show that the source has them: a tax of the running month
 * reaches days in the future. Bills of long charges only have no other days.
 */
const DAYS: Record<SpendSource, string> = {
  cloud: `SELECT day FROM bill_days WHERE org_id = $org AND source_id = $source
    QUALIFY inside_day OR NOT bool_or(inside_day) OVER ()`,
  kubernetes: 'SELECT day FROM kubernetes_spend WHERE org_id = $org AND source_id = $source',
  hosts: 'SELECT day FROM host_spend WHERE org_id = $org AND source_id = $source',
  ai_tools: 'SELECT day FROM ai_tool_spend WHERE org_id = $org AND source_id = $source',
};

/** Returns what the loads of a source have. */
export async function rehearsedFacts(
  session: Session,
  { orgId, sourceId, kind }: { orgId: string; sourceId: string; kind: Kind },
): Promise<RehearsedFacts> {
  const ids = { org: orgId, source: sourceId };
  const charged = await chargedMonths(session, `(${DAYS[KINDS[kind].spend]})`, ids);
  const units = await session.query<{ unit: string }>(
    'SELECT DISTINCT unit FROM load_units WHERE org_id = $org AND source_id = $source ORDER BY unit',
    ids,
  );
  const accounts = await session.query<{ cloud: string; account: string }>(
    'SELECT DISTINCT cloud, account FROM cloud_spend WHERE org_id = $org AND source_id = $source ORDER BY ALL',
    ids,
  );
  const [loads] = await session.query<{ row_count: string; fallen_back: string }>(
    `SELECT COALESCE(sum(rows_read), 0)::BIGINT AS row_count, count_if(cost_column = 'BilledCost') AS fallen_back
     FROM loads WHERE org_id = $org AND source_id = $source`,
    ids,
  );
  const [usage] = await session.query<{ names: boolean | null }>(
    'SELECT bool_or(repository IS NOT NULL) AS names FROM ai_usage WHERE org_id = $org AND source_id = $source',
    ids,
  );
  const [asset] = await session.query(
    'FROM cluster_assets WHERE org_id = $org AND source_id = $source LIMIT 1',
    ids,
  );
  const twice = await session.query<{ phrase: string; months: number }>(
    `SELECT arg_max(phrase, month) AS phrase, CAST(count(DISTINCT month) AS INTEGER) AS months FROM load_doubts
     WHERE org_id = $org AND source_id = $source AND code = 'charges_twice' GROUP BY unit ORDER BY unit`,
    ids,
  );
  return {
    units: units.map(({ unit }) => unit),
    accounts: [...new Set(accounts.map(({ account }) => account))].sort(),
    cloud: accounts[0]?.cloud ?? null,
    ...charged,
    rows: Number(loads?.row_count ?? 0),
    fallenBack: Number(loads?.fallen_back ?? 0),
    namesRepositories: usage?.names ?? null,
    hasAssets: KINDS[kind].spend === 'kubernetes' ? asset !== undefined : null,
    twice,
  };
}
