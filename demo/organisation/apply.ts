import type { SampleTime } from '../exports/write-exports.ts';
import { nullIf, type Client, type Metric, type Named, type SharedCost } from './client.ts';
import { GATEWAY_CALLS, SALES, sampleMetrics, sharedCosts, SOURCES, TEAMS } from './sample-shop.ts';
import { recordMissing, valuesOf } from './values.ts';

/** The sample shop as the service has it, with the access to it. */
export type Shop = Awaited<ReturnType<typeof apply>>;

/**
 * Creates what the organisation lacks of the sample shop, and keeps what the user has changed. The first call comes
 * before any ingest, so that no bill seals while a shared cost is missing. The gateway calls follow with the bills.
 */
export async function apply(admin: Client, time: SampleTime) {
  const sources = await ensure<Named>(admin, 'cost-sources', SOURCES);
  const teams = await ensure<Named>(admin, 'teams', TEAMS);
  const [shop, search] = TEAMS.map(({ name }) => teams.find((team) => team.name === name)?.id);
  const samples = sampleMetrics(search);
  const definitions = samples.map(({ fields, label_key, scope }) => ({ ...fields, label_key, scope }));
  const all = await ensure<Metric>(admin, 'metrics', definitions);
  const metricOf = ({ fields }: (typeof samples)[number]) => named(all, fields.name);
  const gatewayCalls = metricOf(GATEWAY_CALLS);
  const wanted = shop && search ? sharedCosts(shop, search, gatewayCalls.id) : [];
  const shared = await ensure<SharedCost>(admin, 'shared-costs', wanted);
  const shown = samples.filter((sample) => sample !== GATEWAY_CALLS);
  for (const sample of shown) await recordMissing(admin, metricOf(sample), valuesOf(sample, time));
  const metrics = shown.map(metricOf);
  const sales = await ensureSales(admin);
  // The user may have added sources, metrics, teams and shared costs. The demo shows all teams and shared costs.
  const sampleSources = SOURCES.map(({ name }) => named(sources, name));
  return { admin, time, sources: sampleSources, teams, sharedCosts: shared, metrics, gatewayCalls, sales };
}

/** Returns the revenue metric, or null if the user's plan or another metric of its name does not allow it. */
async function ensureSales(admin: Client): Promise<Metric | null> {
  const metrics = await ensure<Metric>(admin, 'metrics', [SALES]).catch(nullIf(403));
  return metrics?.find(({ name, kind }) => name === SALES.name && kind === 'revenue') ?? null;
}

/** Returns the item with a name. */
export function named<Item extends Named>(items: readonly Item[], name: string): Item {
  const item = items.find((each) => each.name === name);
  if (item === undefined) throw new Error(`the organisation has no ${name}`);
  return item;
}

/** Returns everything of a kind, after it has created what the organisation lacks by name. */
async function ensure<Item extends Named>(admin: Client, kind: string, wanted: { name: string }[]) {
  const items = await admin.get<Item[]>(`/api/v1/${kind}?limit=1000`);
  for (const one of wanted) {
    if (items.some(({ name }) => name === one.name)) continue;
    // The service rejects spend that the user has given to another team or shared cost.
    const item = await admin.post<Item>(`/api/v1/${kind}`, one).catch(nullIf(409));
    if (item !== null) items.push(item);
  }
  return items;
}
