import { z } from 'zod';
import { doubtToWire } from '../../domain/months/month-record.ts';
import { shownMonths } from '../../domain/months/shown-months.ts';
import { waitingMonths, type WaitingMonths } from '../../domain/months/waiting-months.ts';
import { includes } from '../../domain/organisations/tiers.ts';
import { sideBySide } from '../../domain/shared/side-by-side.ts';
import { byName } from '../../domain/shared/text/by-name.ts';
import { addMonths, dayOf, firstDay, monthOf, type Month } from '../../domain/shared/calendar.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import { importStates, type ImportState } from '../../warehouse/imports/import-states.ts';
import { cachedMetrics, type Metric } from '../../warehouse/metrics/metrics.ts';
import { COST_SOURCES } from '../../warehouse/sources/cost-sources.ts';
import { lastRuns } from '../../warehouse/sources/ingest-runs.ts';
import { choicesBegun } from '../../warehouse/spend/picks/spend-choices.ts';
import { monthBills, type MonthBills } from '../../warehouse/teams/bills/bills.ts';
import { TEAMS, type Team } from '../../warehouse/teams/teams.ts';
import { callerOf, type Caller } from '../access/authentication.ts';
import { maySeeNumbers } from '../access/revenue-access.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { instant } from '../http/fields.ts';
import { success, successOf } from '../routes/bodies.ts';
import { route, tagged, type Asked } from '../routes/route.ts';
import { upToDate } from '../routes/up-to-date.ts';
import { doubt } from '../months/month-fields.ts';
import { shownOf } from '../months/read-months.ts';
import { billOnWire } from '../teams/team-bills.ts';

const message = z.string().describe('What waits, in one sentence');
const named = z.object({ id: z.string(), name: z.string() });
const months = z.array(z.string()).describe('Newest first');

const waitingItem = z
  .discriminatedUnion('kind', [
    z
      .object({
        kind: z.literal('run_failed'),
        message,
        source: named,
        run_id: z.string(),
        at: instant,
        error: z.string().nullable(),
      })
      .meta({ id: 'WaitingRun', description: 'The last run of a cost source failed.' }),
    z.object({ kind: z.literal('import_failed'), message, metric: named, at: instant }).meta({
      id: 'WaitingFailedImport',
      description: 'The last import of a metric failed, or its imports failed on three days in a row.',
    }),
    z.object({ kind: z.literal('import_paused'), message, metric: named }).meta({
      id: 'WaitingPausedImport',
      description: 'The plan does not include the import of a metric.',
    }),
    z
      .object({
        kind: z.literal('held_back'),
        message,
        month: z.string(),
        metrics: z.array(named).describe('Those that wait; none if only the bills of teams do'),
        missing: z.array(doubt),
      })
      .meta({
        id: 'WaitingDoubts',
        description: 'A month that has ended, and the doubts that hold it back.',
      }),
    z.object({ kind: z.literal('changed_since_lock'), message, metric: named, months }).meta({
      id: 'WaitingChangedMonths',
      description: 'Months of a metric whose values changed after their lock.',
    }),
    z.object({ kind: z.literal('ready_to_lock'), message, metric: named, months }).meta({
      id: 'WaitingReadyMonths',
      description: 'Months of a metric that can be locked.',
    }),
    z
      .object({
        kind: z.literal('bill_waiting'),
        message,
        team: named,
        months,
        waiting_for: z.array(z.string()).describe('What the bill of the newest month waits for'),
      })
      .meta({ id: 'WaitingBills', description: 'Bills of a team that cannot seal.' }),
    z
      .object({
        kind: z.literal('collection_begun'),
        message,
        day: z.string(),
        words: z.string().describe('The tag key or split, and its first day'),
      })
      .meta({
        id: 'WaitingCollection',
        description: 'A tag key or split is collected only since this month or the one before it.',
      }),
  ])
  .meta({ id: 'Waiting' });

type WaitingItem = z.infer<typeof waitingItem>;

/** What waits in the months of a metric, as it is cached. */
const WAITING = {
  name: 'waiting months of a metric',
  bytesOf: ({ changed_since_lock, ready_to_lock, doubtful }: WaitingMonths) =>
    [...changed_since_lock, ...ready_to_lock, ...doubtful.flatMap(({ doubts }) => doubts)].length *
    ITEM_BYTES,
};

const ITEM_BYTES = 300;

const nameOf = ({ id, name }: { id: string; name: string }) => ({ id, name });

async function failedRuns(warehouse: Warehouse, orgId: string): Promise<WaitingItem[]> {
  const runs = await lastRuns(warehouse, orgId);
  const sources = await COST_SOURCES.list(warehouse, orgId);
  return sources.toSorted(byName).flatMap((source): WaitingItem[] => {
    const run = runs.get(source.id);
    if (run?.status !== 'failed') return [];
    const { run_id, error } = run;
    const message = `the last run of cost source ${JSON.stringify(source.name)} failed`;
    const at = run.finished_at ?? run.started_at;
    return [{ kind: 'run_failed', message, source: nameOf(source), run_id, at, error }];
  });
}

/** Returns what waits of the metrics whose numbers the caller may see, and of the teams. */
async function waitingNumbers(
  request: Asked,
  dependencies: ApiDependencies,
  now: Date,
): Promise<WaitingItem[]> {
  const { warehouse } = dependencies;
  const caller = callerOf(request);
  const { organisation } = caller;
  const all = (await cachedMetrics(caller.revisions, warehouse, organisation.id)).toSorted(byName);
  const metrics = all.filter((metric) => maySeeNumbers(caller, metric));
  const teams = (await TEAMS.list(warehouse, organisation.id)).sort(byName);
  const imports = await importStates(warehouse, caller, metrics);
  const reading = await upToDate(dependencies, request, 'bills', now, metrics);
  // Below its plan, nobody can lock a month of revenue.
  const lockable = metrics.filter(({ kind }) => kind === 'count' || includes(organisation.tier, 'revenue'));
  const [waiting, bills] = await sideBySide([
    shownOf(dependencies, caller, lockable, 'waiting', reading, {
      ...WAITING,
      of: (facts) => waitingMonths(facts, { settleDays: organisation.settle_days }, now),
    }),
    teams.length === 0
      ? []
      : warehouse.onOneState((session) =>
          monthBills(reading.spend.on(session), organisation.id, shownMonths(now)),
        ),
  ]);
  const newestFirst = bills.slice(1).reverse();
  return [
    ...metrics.flatMap((metric) => failedImport(metric, imports.get(metric.id))),
    ...metrics.flatMap((metric) => pausedImport(metric, imports.get(metric.id))),
    ...heldBack(lockable, waiting, newestFirst, monthOf(dayOf(now))),
    ...lockable.flatMap((metric) => monthsWith('changed_since_lock', metric, waiting.get(metric.id))),
    ...lockable.flatMap((metric) => monthsWith('ready_to_lock', metric, waiting.get(metric.id))),
    ...teams.flatMap((team) => waitingBills(team, newestFirst, organisation, now)),
  ];
}

function failedImport(metric: Metric, state: ImportState | undefined): WaitingItem[] {
  const last = state?.history?.last ?? null;
  if (state === undefined || last === null || state.status === 'paused') return [];
  if (state.status !== 'failed' && last.status !== 'failed') return [];
  const message = `the import of metric ${JSON.stringify(metric.name)} failed`;
  const at = last.finished_at ?? last.started_at;
  return [{ kind: 'import_failed', message, metric: nameOf(metric), at }];
}

function pausedImport(metric: Metric, state: ImportState | undefined): WaitingItem[] {
  if (state?.status !== 'paused') return [];
  const message = `the import of metric ${JSON.stringify(metric.name)} is paused: ${state.paused_reason ?? ''}`;
  return [{ kind: 'import_paused', message, metric: nameOf(metric) }];
}

/** Returns the months before the running one that doubts hold back, newest first. Metrics share doubts about spend. */
function heldBack(
  metrics: readonly Metric[],
  waiting: ReadonlyMap<string, WaitingMonths>,
  bills: readonly MonthBills[],
  running: Month,
): WaitingItem[] {
  const ofMetrics = metrics.flatMap((metric) =>
    (waiting.get(metric.id)?.doubtful ?? []).map(({ month, doubts }) => ({
      month,
      doubts,
      metrics: [nameOf(metric)],
    })),
  );
  const ofBills = bills
    .filter(({ sealed, total }) => !sealed && total !== null)
    .map(({ month, settled, doubts, holdingBack }) => ({
      month,
      doubts: settled ? doubts : holdingBack,
      metrics: [],
    }));
  const found = [...ofMetrics, ...ofBills].filter((one) => one.month < running && one.doubts.length > 0);
  const months = [...new Set(found.map(({ month }) => month))].sort().reverse();
  return months.map((month) => {
    const ofMonth = found.filter((one) => one.month === month);
    const doubts = [...new Set(ofMonth.flatMap((one) => one.doubts))].map(doubtToWire);
    const missing = [...new Map(doubts.map((one) => [JSON.stringify(one), one])).values()];
    const message = `${month} is held back by ${missing.length === 1 ? 'a doubt' : `${missing.length} doubts`}`;
    return { kind: 'held_back', message, month, metrics: ofMonth.flatMap((one) => one.metrics), missing };
  });
}

const ABOUT_MONTHS = {
  changed_since_lock: (name: string) => `values of metric ${name} changed after the lock of`,
  ready_to_lock: (name: string) => `metric ${name} is ready to lock for`,
};

function monthsWith(
  kind: keyof typeof ABOUT_MONTHS,
  metric: Metric,
  waiting: WaitingMonths | undefined,
): WaitingItem[] {
  const found = waiting?.[kind] ?? [];
  if (found.length === 0) return [];
  const message = `${ABOUT_MONTHS[kind](JSON.stringify(metric.name))} ${found.join(', ')}`;
  return [{ kind, message, metric: nameOf(metric), months: found }];
}

function waitingBills(
  team: Team,
  newestFirst: readonly MonthBills[],
  organisation: Caller['organisation'],
  now: Date,
): WaitingItem[] {
  const waiting = newestFirst
    .map((ofMonth) => billOnWire(team.id, ofMonth, organisation, now))
    .filter(({ status }) => status === 'waiting');
  const [newest] = waiting;
  if (newest === undefined) return [];
  const found = waiting.map(({ month }) => month);
  const message = `the bill of team ${JSON.stringify(team.name)} cannot seal for ${found.join(', ')}`;
  const { waiting_for } = newest;
  return [{ kind: 'bill_waiting', message, team: nameOf(team), months: found, waiting_for }];
}

async function getWaiting(request: Asked, dependencies: ApiDependencies) {
  const { warehouse, clock } = dependencies;
  const caller = callerOf(request);
  const { id: orgId, tier } = caller.organisation;
  const now = clock.now();
  const begun = await choicesBegun(warehouse, orgId, firstDay(addMonths(monthOf(dayOf(now)), -1)));
  return success([
    ...(await failedRuns(warehouse, orgId)),
    ...(includes(tier, 'unit_economics') ? await waitingNumbers(request, dependencies, now) : []),
    ...begun.map(({ words, day }) => ({
      kind: 'collection_begun' as const,
      message: `${words}; earlier months are partial and cannot be locked`,
      words,
      day,
    })),
  ]);
}

/** `/waiting`: what waits for someone, by kind and name. No kind needs a statement for each metric or team. */
export const waitingRoutes = tagged('Metrics', [
  route('GET /waiting', {
    access: 'read',
    isCached: true,
    isHeavy: true,
    operationId: 'getWaiting',
    summary: 'What waits for someone: failed runs, doubts, months to lock, bills that cannot seal',
    description:
      'By kind in the order of the schema, then by name. Plans without unit economics have only runs and collection. ' +
      'Revenue metrics are there only for those who may see their numbers.',
    answer: successOf(z.array(waitingItem)),
    handle: getWaiting,
  }),
]);
