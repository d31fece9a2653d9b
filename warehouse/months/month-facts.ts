import { addMonths, firstDay, lastDay, monthOf, type Day, type Month } from '../../domain/shared/calendar.ts';
import { sideBySide } from '../../domain/shared/side-by-side.ts';
import { coverageOf, type Coverage } from '../../domain/sources/coverage.ts';
import { comparedDays, type ComparedDays } from '../../domain/months/compared-days.ts';
import { factsFrom } from '../../domain/months/shown-months.ts';
import type { MonthFacts } from '../../domain/months/month-facts.ts';
import { unreadableDoubt } from '../../domain/months/unreadable-values.ts';
import { fullyLoaded } from '../../domain/teams/bill.ts';
import { billStatus, billWaits } from '../../domain/teams/bill-status.ts';
import { NO_CACHE, type OrganisationCache } from '../engine/cache/derived-cache.ts';
import type { RevenueVault } from '../metrics/revenue-vault.ts';
import type { ComputedQueries } from '../spend/compute-spend.ts';
import { cachedValueImports } from '../sources/value-imports.ts';
import { monthBills } from '../teams/bills/bills.ts';
import { openRevenue } from './month-revenue.ts';
import { metricScopes, spendOf, type MetricScope, type PickedSpend } from './parts/metric-scopes.ts';
import { newestLocks, openedLock } from './parts/newest-locks.ts';
import { organisationMonths, type OrganisationMonths } from './parts/organisation-months.ts';
import { NO_COSTS, scopeMonths, type ScopeCosts } from './parts/scope-months.ts';
import { noValues, valueMonths } from './parts/value-months.ts';
import { putSameDays } from './same-days.ts';
import { valueFactsOf } from './value-facts.ts';

/**
 * Returns the facts of each metric's months up to `newest`, oldest first: `count` months, and the one before them for their
 * change. They are made of parts (parts/), each of which is cached until something of it changes: scopes, their costs, values,
 * what imports have read, locks, and what sources have delivered. With team scope also of the bills, so that due bills must have been sealed
 * (bill-sealing.ts). With `today`, the running month has its same days. Throws for a revenue metric without `vault`.
 */
export async function monthFacts(
  session: ComputedQueries,
  orgId: string,
  metricIds: readonly string[],
  {
    today,
    vault,
    cache = NO_CACHE,
    ...months
  }: {
    newest: Month;
    count: number;
    today?: Day;
    vault?: RevenueVault | undefined;
    cache?: OrganisationCache;
  },
): Promise<Map<string, MonthFacts[]>> {
  const first = factsFrom(months.newest, months.count);
  const days = today !== undefined && monthOf(today) === months.newest ? comparedDays(today) : null;
  const range = { first, newest: months.newest, days };
  const { compared, locks, organisation, imports } = await readParts(session, cache, orgId, metricIds, range);
  const scopes = compared.map(({ scope }) => scope);
  const revenueIds = scopes.flatMap(({ kind, metric_id }) => (kind === 'revenue' ? [metric_id] : []));
  const revenue = await openRevenue(session, orgId, revenueIds, first, vault);
  const covered = new Map<string, Coverage>();
  const byMetric = new Map<string, MonthFacts[]>(metricIds.map((id) => [id, []]));
  const shown: Month[] = [];
  for (let month = monthOf(first); month <= months.newest; month = addMonths(month, 1)) shown.push(month);
  const revenueFacts = ({ metric_id: id }: MetricScope, month: Month) => ({
    valueSum: revenue.sumOfMonth(id, month),
    unreadable: unreadableDoubt(
      id,
      month,
      revenue.unreadableOfMonth(id, month),
      imports.get(id)?.disconnectedOn === null,
    ),
  });
  for (const { scope, ...parts } of compared) {
    const facts = byMetric.get(scope.metric_id) ?? [];
    const valueFacts = valueFactsOf(scope, parts.values, imports.get(scope.metric_id), vault);
    for (const month of shown) {
      const covering = `${month} ${spendOf(scope)}`;
      const coverage = covered.get(covering) ?? coverageOfScope(month, organisation, scope);
      covered.set(covering, coverage);
      const spent = costFacts(month, scope, parts.costs, coverage);
      const valued = valueFacts(month);
      // Field by field, because a thousand metrics have thirteen months each, and copies of objects take several times as long.
      const known: Required<typeof spent & typeof valued & Pick<MonthFacts, 'settled' | 'lock'>> = {
        month,
        cost: spent.cost,
        team: spent.team,
        coverage,
        uncollected: spent.uncollected,
        valueSum: valued.valueSum,
        valuePeriods: valued.valuePeriods,
        valueChanges: valued.valueChanges,
        valueDoubts: valued.valueDoubts,
        missingLastDays: valued.missingLastDays,
        valueNotes: valued.valueNotes,
        settled: organisation.settled.has(month),
        lock: openedLock(locks.get(scope.metric_id)?.get(month), vault),
      };
      facts.push(scope.kind === 'revenue' ? { ...known, ...revenueFacts(scope, month) } : known);
    }
  }
  await putTeamCosts(session, orgId, months, byMetric, scopes, organisation);
  if (days !== null)
    await putSameDays(session, cache, orgId, byMetric, compared, days, revenue, organisation);
  return byMetric;
}

/** Reads the parts of the facts that are cached, of the metrics that exist. */
async function readParts(
  session: ComputedQueries,
  cache: OrganisationCache,
  orgId: string,
  metricIds: readonly string[],
  { first, newest, days }: { first: Day; newest: Month; days: ComparedDays | null },
) {
  const scopes = [...(await metricScopes(session, cache, orgId, metricIds)).values()];
  const ids = scopes.map(({ metric_id }) => metric_id);
  const scopeIds = [...new Set(scopes.map(({ scope_id }) => scope_id))];
  const range = { first, last: firstDay(newest) };
  const valueRange = { first, firstDay: days?.first ?? lastDay(newest) };
  const [values, costs, locks, organisation, imports] = await sideBySide([
    valueMonths(session, cache, orgId, scopes, valueRange),
    scopeMonths(session, cache, orgId, scopeIds, range, days),
    newestLocks(session, cache, orgId, ids),
    organisationMonths(session, cache, orgId, { first: monthOf(first), last: newest }),
    cachedValueImports(session, cache, orgId, ids),
  ]);
  const compared = scopes.map((scope) => {
    const found = imports.get(scope.metric_id);
    return {
      scope,
      costs: costs.get(scope.scope_id) ?? NO_COSTS,
      values: values.get(scope.metric_id) ?? noValues(scope, valueRange),
      reach: found?.disconnectedOn === null ? found.reach : null,
    };
  });
  return { compared, locks, organisation, imports };
}

const coverageOfScope = (month: Month, { sources }: OrganisationMonths, { picked }: MetricScope): Coverage =>
  coverageOf(month, sources.get(month) ?? [], picked?.map(({ spend }) => spend) ?? null);

/** A month without spend costs 0. Days before the first use of a tag key or split have no spend by it, for good. */
function costFacts(
  month: Month,
  { team_id, picked }: MetricScope,
  costs: ScopeCosts,
  coverage: Coverage,
): Pick<MonthFacts, 'month' | 'cost' | 'team' | 'coverage' | 'uncollected'> {
  const late = (picked ?? []).flatMap(({ choices }) =>
    choices.flatMap(({ words, from }) => (from > firstDay(month) ? [words] : [])),
  );
  return {
    month,
    cost: isKnown(coverage, picked) ? (costs.months.get(month) ?? NO_COST) : null,
    team: team_id !== null,
    coverage,
    uncollected: late.length === 0 ? late : [...new Set(late)],
  };
}

const NO_COST = '0.000000000000000';

/** Sets the cost of metrics with team scope to the team's bill. Their month has settled once the bill has sealed. */
async function putTeamCosts(
  session: ComputedQueries,
  orgId: string,
  months: { newest: Month; count: number },
  byMetric: Map<string, MonthFacts[]>,
  scopes: readonly MetricScope[],
  { sources }: OrganisationMonths,
): Promise<void> {
  const teams = new Map(
    scopes.flatMap(({ metric_id, team_id }) => (team_id === null ? [] : [[metric_id, team_id]])),
  );
  if (teams.size === 0) return;
  const bills = await monthBills(session, orgId, months, sources);
  for (const [metricId, teamId] of teams) {
    const facts = byMetric.get(metricId) ?? [];
    for (const ofMonth of bills) {
      const found = facts.find(({ month }) => month === ofMonth.month);
      if (found === undefined) continue;
      const bill = ofMonth.bills?.get(teamId);
      found.cost = bill === undefined ? null : fullyLoaded(bill);
      const own = { ...ofMonth, hasBill: bill !== undefined };
      found.settled = billStatus(own) === 'sealed';
      found.uncollected = ofMonth.uncollected[teamId] ?? [];
      found.waitingFor = billWaits(own);
    }
  }
}

/** Whether the cost of a month is known: some source has delivered a day on which the picks' tags and splits are collected. */
const isKnown = ({ lastKnown }: Coverage, picked: readonly PickedSpend[] | null): boolean =>
  picked === null
    ? lastKnown.size > 0
    : picked.some(({ spend, collected_from }) => {
        const through = lastKnown.get(spend);
        return through !== undefined && (collected_from === null || collected_from <= through);
      });
