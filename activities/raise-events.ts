import { addDays, dayOf, monthOf } from '../domain/shared/calendar.ts';
import type { Clock } from '../domain/shared/clock.ts';
import { risesBegun } from '../domain/events/daily-rise.ts';
import { toWire } from '../domain/shared/decimals.ts';
import { changedTargetStates, comparedMonths, newsOfTarget } from '../domain/events/target-crossing.ts';
import type { UnitCostChanged } from '../domain/events/webhook.ts';
import { includes } from '../domain/organisations/tiers.ts';
import { dailyUnitCosts } from '../warehouse/events/daily-unit-costs.ts';
import { addEvents, eventsLock, type NewEvent } from '../warehouse/events/events.ts';
import { cachedMetrics, type Metric } from '../warehouse/metrics/metrics.ts';
import { sealBills } from '../warehouse/teams/bills/bill-sealing.ts';
import { monthFacts } from '../warehouse/months/month-facts.ts';
import { cachedMonths } from '../warehouse/months/cached-months.ts';
import { findOrganisation, type Organisation } from '../warehouse/organisations/organisations.ts';
import type { ComputedSession, ComputedSpend } from '../warehouse/spend/compute-spend.ts';
import {
  evaluatedTargets,
  recordEvaluatedTargets,
  recordTargetStates,
  targetStates,
} from '../warehouse/events/target-states.ts';
import { valuesThrough } from '../warehouse/metrics/values-through.ts';
import type { Warehouse } from '../warehouse/engine/warehouse.ts';
import { withHeartbeats } from './shared/with-heartbeats.ts';

/** How many months are compared with targets: as many as a metric shows (docs/http.md#read-and-lock-months). */
const WATCHED_MONTHS = 12;

/** The step that raises events. A second run finds nothing new. */
export const createEventActivities = ({ warehouse, clock }: { warehouse: Warehouse; clock: Clock }) => ({
  /** Evaluates an organisation's metrics, and stores new events with their deliveries. Returns the number of events. */
  async evaluateEvents(orgId: string): Promise<number> {
    return withHeartbeats([], () => evaluateEvents(warehouse, orgId, clock.now()));
  },
});

/** The names and shapes of the event activities, for workflows. */
export type EventActivities = ReturnType<typeof createEventActivities>;

/**
 * Finds the months that went above their target and the days on which a unit cost began to rise, and raises their events
 * (docs/concepts.md#events-and-webhooks). Before a month's numbers are complete, it raises no event and has no recorded state.
 * After a new or changed target only the running month and the newest complete one raise events. Metrics whose numbers are those
 * of the last evaluation have no news, and are left out. One transaction covers the reads, the recorded states, the events and
 * the deliveries, so that each event is raised exactly once. Returns the number of events.
 */
export async function evaluateEvents(warehouse: Warehouse, orgId: string, now: Date): Promise<number> {
  const organisation = await findOrganisation(warehouse, orgId);
  if (organisation === null || !includes(organisation.tier, 'unit_economics')) return 0;
  const { on } = await sealBills(warehouse, orgId, now);
  const revisions = await warehouse.revisions();
  // Revenue sends no event (docs/concepts.md#events-and-webhooks).
  const metrics = (await cachedMetrics(revisions, warehouse, orgId)).filter(({ kind }) => kind === 'count');
  let raised = 0;
  await cachedMonths(
    warehouse.cache.of(revisions, orgId),
    EVALUATED,
    metrics,
    dayOf(now),
    async (changed) => {
      raised = await raiseEvents(warehouse, organisation, on, changed, now);
      return new Map(changed.map(({ id }) => [id, true]));
    },
  );
  return raised;
}

/** That a metric was evaluated. */
const EVALUATED = { name: 'evaluated metric', bytesOf: () => 0 };

const raiseEvents = (
  warehouse: Warehouse,
  organisation: Organisation,
  on: ComputedSpend['on'],
  metrics: readonly Metric[],
  now: Date,
): Promise<number> =>
  warehouse.lockedTransaction([eventsLock(organisation.id)], async (stored) => {
    const session = on(stored);
    const crossings = await crossedTargets(session, organisation, metrics, now);
    const rises = await begunRises(session, organisation, metrics, now);
    return addEvents(session, organisation.id, [...crossings, ...rises], now);
  });

async function crossedTargets(
  session: ComputedSession,
  organisation: Organisation,
  metrics: readonly Metric[],
  now: Date,
): Promise<NewEvent[]> {
  const seen = await targetStates(session, organisation.id);
  // A metric that has lost its target is no longer above it, so that its recorded states change.
  const watched = metrics.filter(({ id, target }) => target !== null || seen.has(id));
  if (watched.length === 0) return [];
  const today = dayOf(now);
  const range = { newest: monthOf(today), count: WATCHED_MONTHS, today };
  const ids = watched.map(({ id }) => id);
  const facts = await monthFacts(session, organisation.id, ids, range);
  const values = await valuesThrough(session, organisation.id, ids);
  const previousTargets = await evaluatedTargets(session, organisation.id);
  const retargeted = new Set(watched.filter(({ id, target }) => previousTargets.get(id) !== target));
  const events: NewEvent[] = [];
  for (const metric of watched) {
    const months = comparedMonths((facts.get(metric.id) ?? []).slice(1), metric, {
      today,
      valuesThrough: values.get(metric.id) ?? null,
    });
    const news = newsOfTarget(months, today);
    const states = changedTargetStates(months, seen.get(metric.id) ?? new Map());
    if (states.length > 0) await recordTargetStates(session, organisation.id, metric.id, states, now);
    for (const { month, above, crossings } of states) {
      const unitCost = months.find((compared) => compared.month === month)?.unitCost ?? null;
      if (!above || metric.target === null || unitCost === null) continue;
      if (retargeted.has(metric) && !news.has(month)) continue;
      const numbers = { unit_cost: toWire(unitCost), target: toWire(metric.target) };
      events.push(unitCostChanged(organisation, metric, 'above_target', month, numbers, `/${crossings}`));
    }
  }
  await recordEvaluatedTargets(session, organisation.id, [...retargeted], now);
  return events;
}

async function begunRises(
  session: ComputedSession,
  organisation: Organisation,
  metrics: readonly Metric[],
  now: Date,
): Promise<NewEvent[]> {
  const today = dayOf(now);
  const ids = metrics.flatMap(({ id, rise }) => (rise === null ? [] : [id]));
  if (ids.length === 0) return [];
  // A day that is not over has no unit cost yet, even if sources and values already cover a part of it.
  const days = await dailyUnitCosts(session, organisation.id, ids, addDays(today, -1));
  return metrics.flatMap((metric) => {
    if (metric.rise === null) return [];
    return risesBegun(days.get(metric.id) ?? [], metric.rise, today).map(({ day, unitCost, expected }) => {
      const numbers = { unit_cost: toWire(unitCost), expected: toWire(expected) };
      return unitCostChanged(organisation, metric, 'daily_rise', day, numbers, '');
    });
  });
}

/** Returns the event, with the payload for webhooks (docs/http.md#receive-events). */
function unitCostChanged(
  { currency }: Organisation,
  { id, name, unit }: Metric,
  reason: UnitCostChanged['reason'],
  period: string,
  numbers: { unit_cost: number } & ({ target: number } | { expected: number }),
  occasion: string,
): NewEvent {
  const subject = `${id}/${period}/${reason}`;
  return {
    type: 'unit_cost.changed',
    subject,
    fact: `${subject}${occasion}`,
    data: { metric_id: id, metric_name: name, reason, period, ...numbers, currency, unit },
  };
}
