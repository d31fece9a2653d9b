import { join } from 'node:path';
import { addDays, dayOf, monthOf, monthsBack, type Day, type Month } from '../../domain/calendar.ts';
import { operatorKey } from '../operator-key.ts';
import { createLog, untilStopped } from '../run-service.ts';
import { startService, type Service } from '../service.ts';
import type { Settings } from '../settings.ts';
import { connectSources, ingestSources } from './ingest-sources.ts';
import { correctLockedMonths, lockSettledMonths, monthsOf } from './lock-months.ts';
import { nextSteps } from './next-steps.ts';
import { recordValues } from './record-values.ts';
import { requireFreePort } from './require-free-port.ts';
import { restateBill } from './restate-bill.ts';
import { restatedMonth, tellRestated } from './restated-month.ts';
import { sampleOrganisation } from './sample-organisation.ts';
import { RESTATED_SOURCE, sampleSources } from './sample-sources.ts';
import { unitCostTable } from './unit-cost-table.ts';
import { writeExports } from './write-exports.ts';

/** Twelve months to show, and the one before them to compare the oldest with. */
const MONTHS = 13;

/**
 * `demo`: starts the service, brings its sample organisation up to date over HTTP, shows it, and goes on serving
 * until it is stopped, unless `exit`. Run again, it goes on with the same organisation and keeps what was changed.
 */
export const demo = async (
  settings: Settings,
  { exit }: { exit: boolean },
  say: (text: string) => void,
): Promise<void> => {
  await requireFreePort(settings.HOST, settings.port);
  const { dataDir } = settings;
  const now = settings.CLOCK ?? new Date();
  const through = addDays(dayOf(now), -1);
  const months = monthsBack(monthOf(dayOf(now)), MONTHS).reverse();
  const folder = join(dataDir, 'exports', 'demo');
  const sources = sampleSources(folder, await restatedMonth(dataDir));
  say(`Writing the exports of ${sources.length} cost sources, ${MONTHS} months each, below ${folder} …`);
  for (const { feeds } of sources) for (const feed of feeds) await writeExports(feed, months, through);

  say('Starting the service …');
  const service = await startService(settings, { api: true, worker: true }, createLog(settings));
  // From here on a signal ends the demo cleanly, however far it has come; what it cuts short is no failure.
  let ending = false;
  const isEnding = (): boolean => ending;
  const end = (): void => {
    ending = true;
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end);
  void service.failed.then(end);
  const stopped = untilStopped(service);
  try {
    await showSample(service, settings, { folder, months, through, exit }, say);
  } catch (error) {
    if (!isEnding()) {
      await service.stop();
      throw error;
    }
  }
  if (exit && !isEnding()) await service.stop();
  else await stopped;
};

/** The settings of a demo: its own folder and its own Temporal server, whatever the real service is told to use. */
export const demoEnvironment = (env: NodeJS.ProcessEnv, dataDir: string | undefined): NodeJS.ProcessEnv => {
  const foreign = /^(WAREHOUSE|WAREHOUSE_DATA|TEMPORAL_.*|SOURCE_ROOTS)$/;
  const realDataDir = env['DATA_DIR']?.trim() ?? '';
  return {
    // The demo's own words are for people; logs only where something is wrong.
    LOG_LEVEL: 'warn',
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !foreign.test(name))),
    DATA_DIR: dataDir ?? join(realDataDir === '' ? './data' : realDataDir, 'demo'),
  };
};

/** What a demo shows. */
interface Sample {
  /** The exports lie below it. */
  folder: string;
  /** Oldest first, ending with the running month. */
  months: readonly Month[];
  /** The last complete day: exports and values reach it. */
  through: Day;
  exit: boolean;
}

const showSample = async (
  service: Service,
  settings: Settings,
  sample: Sample,
  say: (text: string) => void,
): Promise<void> => {
  const { dataDir } = settings;
  const { months, through, exit } = sample;
  const url = service.url ?? '';
  const { admin, adminKey, isNew } = await sampleOrganisation({
    url,
    dataDir,
    operatorKey: await operatorKey(settings.OPERATOR_KEY, dataDir),
  });
  say(`${isNew ? 'Made the organisation' : 'Going on with the organisation'} Sample shop. Ingesting …`);
  const connected = await connectSources(admin, sampleSources(sample.folder, null));
  await ingestSources(admin, connected, say);

  say('Recording values, locking settled months …');
  const metrics = await recordValues(admin, months, through);
  for (const { id } of metrics) await lockSettledMonths(admin, id);
  const [orders] = metrics;
  if (orders === undefined) throw new Error('the sample organisation has no metric');
  await correctLockedMonths(admin, orders.id);
  const source = connected.find(({ name }) => name === RESTATED_SOURCE);
  if (source !== undefined)
    await restateBill(admin, { ...sample, dataDir, source, locks: await monthsOf(admin, orders.id) }, say);

  for (const metric of metrics) {
    say('');
    for (const line of unitCostTable(metric, 'USD', await monthsOf(admin, metric.id))) say(line);
  }
  const restated = await restatedMonth(dataDir);
  if (restated !== null) {
    say('');
    const { id, name } = orders;
    for (const line of await tellRestated(admin, restated, { name, months: await monthsOf(admin, id) }))
      say(line);
  }
  say('');
  say(`base URL   ${url}/api/v1`);
  say(`admin key  ${adminKey}`);
  say('');
  say(
    exit
      ? 'What to try next, once you have started it again without --exit:'
      : 'What to try next (in another terminal; Ctrl-C here ends it):',
  );
  const steps = {
    url,
    adminKey,
    metricId: orders.id,
    labelledMetricId: metrics.find(({ labelKey }) => labelKey !== null)?.id,
    months: await monthsOf(admin, orders.id),
    through,
  };
  for (const line of nextSteps(steps)) say(line);
  say('');
  say(`ready ${url}`);
};
