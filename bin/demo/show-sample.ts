import type { Day, Month } from '../../domain/shared/calendar.ts';
import { sourceRulesOf } from '../../egress/locations/source-rules.ts';
import { operatorKey } from '../settings/operator-key.ts';
import type { Settings } from '../settings/settings.ts';
import type { ApiClient } from './api-client.ts';
import { connectSources, ingestSources } from './ingest-sources.ts';
import { correctLockedMonths, lockSettledMonths, monthsOf, type MonthOnWire } from './lock-months.ts';
import { nextSteps } from './next-steps.ts';
import { overviewTable } from './overview-table.ts';
import { recordValues, type RecordedMetric } from './record-values.ts';
import { restateBill } from './restate-bill.ts';
import { restatedMonth, tellRestated } from './restated-month.ts';
import { SAMPLE_METRICS } from './sample-metrics.ts';
import { sampleOrganisation } from './sample-organisation.ts';
import { RESTATED_SOURCE, sampleSources } from './sample-sources.ts';
import { SEARCHES } from './sample-team-metrics.ts';
import { SEARCH_TEAM } from './sample-teams.ts';
import { sealSettledBills } from './seal-bills.ts';
import { setUpTeams, type TeamSetUp } from './set-up-teams.ts';
import { step } from './step.ts';
import { tellTeams } from './tell-teams.ts';
import { teamSteps } from './team-steps.ts';
import { tellWebhook } from './tell-webhook.ts';
import { unitCostTable } from './unit-cost-table.ts';
import type { WebhookListener } from './webhook-listener.ts';
import { writeExports } from './write-exports.ts';

const CURRENCY = 'USD';

/** What a demo shows. */
export interface Sample {
  /** Oldest first, ending with the running month. */
  months: readonly Month[];
  /** The last complete day: exports and values reach it. */
  through: Day;
  exit: boolean;
}

/** Brings the sample organisation of a running service up to date over HTTP, and says what there is to see. */
export const showSample = async (
  service: { url: string; settings: Settings; listener: WebhookListener },
  sample: Sample,
  say: (text: string) => void,
): Promise<void> => {
  const { url, settings, listener } = service;
  const { dataDir } = settings;
  const { id, admin, adminKey, isNew } = await sampleOrganisation({
    url,
    dataDir,
    operatorKey: await operatorKey(settings.OPERATOR_KEY, dataDir),
  });
  say(`${isNew ? 'Made the organisation' : 'Going on with the organisation'} Sample shop.`);
  const [folder] = sourceRulesOf(settings)(id).roots;
  const { setUp, metrics, orders } = await bringUpToDate(admin, dataDir, { ...sample, folder }, say);

  const chapter = (lines: readonly string[]): void => {
    if (lines.length === 0) return;
    say('');
    for (const line of lines) say(line);
  };
  const months = new Map<string, MonthOnWire[]>();
  const tell = async (metric: RecordedMetric): Promise<void> => {
    const ofMetric = await monthsOf(admin, metric.id);
    months.set(metric.name, ofMetric);
    chapter(unitCostTable(metric, CURRENCY, ofMetric));
  };
  const searches = metrics.find(({ name }) => name === SEARCHES.name);
  for (const metric of metrics) if (metric !== searches) await tell(metric);
  const ofOrders = { ...orders, months: months.get(orders.name) ?? [] };
  const restated = await restatedMonth(dataDir);
  if (restated !== null) chapter(await tellRestated(admin, restated, ofOrders));

  const { bills, tables } = await tellTeams(admin, setUp, { ...sample, currency: CURRENCY });
  tables.forEach(chapter);
  const webhook = await tellWebhook(admin, listener, searches);
  if (searches !== undefined) await tell({ ...searches, target: webhook.target });
  chapter(webhook.lines);
  chapter(await overviewTable(admin));

  chapter([`base URL   ${url}/api/v1`, `admin key  ${adminKey}`]);
  const { through } = sample;
  chapter([
    sample.exit
      ? 'What to try next, once you have started it again without --exit:'
      : 'What to try next (in another terminal; Ctrl-C here ends it):',
    ...nextSteps({
      url,
      adminKey,
      metricId: orders.id,
      labelledMetricId: metrics.find(({ labelKey }) => labelKey !== null)?.id,
      months: ofOrders.months,
      through,
    }),
    ...teamSteps({
      teams: bills,
      gatewayCalls: setUp.gatewayCalls,
      searches: searches && { id: searches.id, months: months.get(searches.name) ?? [] },
      orders: ofOrders,
      webhookId: webhook.id,
      through,
    }),
    ...step('every call there is, in a browser', `${url}/docs`),
  ]);
  say('');
  say(`ready ${url}`);
};

/**
 * Everything that the sample organisation has and does, as far as an earlier run has not made it; its exports lie
 * below `folder`.
 */
const bringUpToDate = async (
  admin: ApiClient,
  dataDir: string,
  sample: Sample & { folder: string },
  say: (text: string) => void,
): Promise<{ setUp: TeamSetUp; metrics: RecordedMetric[]; orders: RecordedMetric }> => {
  const { folder, months, through } = sample;
  const sources = sampleSources(folder, await restatedMonth(dataDir));
  say(
    `Writing the exports of ${sources.length} cost sources, ${months.length} months each, below ${folder} …`,
  );
  for (const { feeds } of sources) for (const feed of feeds) await writeExports(feed, months, through);

  say('Ingesting …');
  const connected = await connectSources(admin, sources);
  const setUp = await setUpTeams(admin);
  await ingestSources(admin, connected, say);

  say('Recording values, sealing bills, locking settled months …');
  const teams = new Map(setUp.teams.map(({ name, id }) => [name, id]));
  const samples = teams.has(SEARCH_TEAM.name) ? [...SAMPLE_METRICS, SEARCHES] : SAMPLE_METRICS;
  const metrics = await recordValues(admin, samples, sample, teams);
  await sealSettledBills(admin, setUp, sample);
  await Promise.all(
    metrics.map(({ id, name }) => lockSettledMonths(admin, id, name === SEARCHES.name ? 2 : undefined)),
  );
  const [orders] = metrics;
  if (orders === undefined) throw new Error('the sample organisation has no metric');
  await correctLockedMonths(admin, orders.id);
  const source = connected.find(({ name }) => name === RESTATED_SOURCE);
  if (source !== undefined)
    await restateBill(admin, { ...sample, dataDir, source, locks: await monthsOf(admin, orders.id) }, say);
  return { setUp, metrics, orders };
};
