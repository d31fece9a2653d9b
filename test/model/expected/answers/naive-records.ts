import type { Day } from '../../../../domain/shared/calendar.ts';
import {
  isAbove,
  moneyText,
  shownNumbers,
  sumOfValues,
  unitCostText,
  valueText,
  type Numbers,
} from './naive-months.ts';
import type { NaiveMetric, NaiveOrganisation } from '../naive-organisation.ts';
import type { Kind } from '../../organisation-story.ts';
import { changes, sameDaysChange } from './naive-same-days.ts';
import { ALL_MONTHS } from '../naive-sources.ts';
import type { Spent } from '../naive-spend.ts';

/** The month before the first one, only for comparison. */
const BEFORE = '2025-11';

/** The part of the total that the spend of a kind of source is. */
const SPEND_OF_KIND: Record<Kind, string> = {
  focus: 'cloud',
  opencost: 'kubernetes',
  hosts: 'hosts',
  ai_tools: 'ai_tools',
};

const text = (units: bigint | null, of: (units: bigint) => string): string | null =>
  units === null ? null : of(units);

/**
 * Returns the expected months of a metric: exact facts, oldest first, and records, newest first. A locked month has the numbers
 * of its newest version, and today's numbers beside them once a value has changed.
 */
export function naiveRecords(
  naive: NaiveOrganisation,
  metric: NaiveMetric,
  index: number,
  today: Day,
  spent: readonly Spent[],
) {
  const months = [BEFORE, ...ALL_MONTHS].map((month) => {
    const facts = naive.facts(index, month, today, spent);
    const versions = metric.locks.get(month) ?? [];
    const frozen = versions.at(-1) ?? null;
    return { month, ...facts, version: versions.length, frozen, shown: frozen ?? facts.current };
  });
  return {
    facts: months.map(
      ({ month, undelivered, gaps, isUncollected, isSettled, values, current, version, frozen }) => ({
        month,
        cost: text(current.cost, moneyText),
        undelivered: undelivered.map((kind) => SPEND_OF_KIND[kind]),
        gaps,
        isUncollected,
        valueSum: values.length === 0 ? null : valueText(sumOfValues(values)),
        valuePeriods: new Set(values.map(({ period }) => period)).size,
        settled: isSettled,
        lock: frozen === null ? null : { version, ...frozenTexts(frozen) },
      }),
    ),
    records: months
      .slice(1)
      .map(({ month, status, canLock, shown, current, version, frozen, isUncollected }, place) => ({
        month,
        ...shownNumbers(shown),
        status,
        ...(month === today.slice(0, 7)
          ? sameDaysChange(
              naive,
              metric,
              {
                today,
                before: months[place]?.month ?? '',
                isUncollected: isUncollected || months[place]?.isUncollected === true,
              },
              spent,
            )
          : changes('month', months[place]?.shown ?? null, shown)),
        above_target: isAbove(shown.unitCost, metric.definition.target),
        version: frozen === null ? null : version,
        locked: frozen === null ? null : { version, ...shownNumbers(frozen) },
        ...(status === 'changed_since_lock' ? { current: shownNumbers(current) } : {}),
        notes: frozen === null && metric.picks === null ? naive.sources.latecomers(month) : [],
        can_lock: canLock,
        hasReason: status === 'open' || status === 'partial',
      }))
      .reverse(),
  };
}

const frozenTexts = ({ cost, value, unitCost }: Numbers) => ({
  cost: text(cost, moneyText),
  value: text(value, valueText),
  unitCost: text(unitCost, unitCostText),
});
