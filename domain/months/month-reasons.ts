import { lastDay, type Day } from '../shared/calendar.ts';
import { waysOut, type Doubt } from '../sources/doubts.ts';
import { SPEND, type SpendSource } from '../sources/spend-sources.ts';
import type { Coverage } from '../sources/coverage.ts';
import type { MonthFacts } from './month-facts.ts';
import { settleDayReasons, type SettlementFacts } from './settlement.ts';

const spendInWords = (sources: readonly SpendSource[]): string =>
  [sources.map((source) => SPEND[source].words).join(' or '), 'spend'].join(' ').trim();

/** Whether the cost is a sealed bill of a team. It lacks nothing, because it no longer moves. */
export const isSealedBill = ({ team, settled }: Pick<MonthFacts, 'team' | 'settled'>): boolean =>
  team && settled;

/**
 * Returns what is missing of a month's spend, or not certain about it. It covers the scope's sources and, until the month has
 * settled, all sources that it waits for. Until the month `hasEnded`, days that are to come are not missing.
 */
function missingSpend(facts: MonthFacts, hasEnded = true): readonly Doubt[] {
  if (isSealedBill(facts)) return NONE;
  const { month, cost, settled, coverage } = facts;
  // Metrics share the coverage of a month, so that it is put in words once.
  const known = missingOf.get(coverage) ?? new Map<string, Doubt[]>();
  missingOf.set(coverage, known);
  const key = `${month} ${settled} ${cost === null} ${hasEnded}`;
  const missing = known.get(key) ?? missingIn(facts, hasEnded);
  known.set(key, missing);
  return missing;
}

const NONE: readonly Doubt[] = [];

const missingOf = new WeakMap<Coverage, Map<string, Doubt[]>>();

function missingIn({ month, cost, settled, coverage }: MonthFacts, hasEnded: boolean): Doubt[] {
  const { doubts, undelivered } = coverage;
  const [gaps, holdingBack] = hasEnded ? [coverage.gaps, coverage.holdingBack] : [[], []];
  const unknown: Doubt = {
    code: 'nothing_ingested',
    sentence: `no ${spendInWords(undelivered)} has been ingested for ${month}, its picks count 0`,
    amount: null,
    ways_out: waysOut('nothing_ingested', null),
  };
  const found = [...gaps, ...doubts, ...(settled ? [] : holdingBack)];
  const bySentence = new Map(found.map(({ from: _, ...doubt }) => [doubt.sentence, doubt]));
  return [...bySentence.values(), ...(undelivered.length > 0 && cost !== null ? [unknown] : [])];
}

/** Returns every doubt about the numbers of a month that has ended: about its spend and about its values. */
export const doubtsOf = (facts: MonthFacts): Doubt[] => [
  ...missingSpend(facts),
  ...unreadableOf(facts),
  ...(facts.valueDoubts ?? []),
];

/** Sealed values that cannot be opened are a doubt at any time, also before the month has ended. */
const unreadableOf = ({ unreadable = null }: MonthFacts): Doubt[] =>
  unreadable === null ? [] : [unreadable];

/** Returns why a month cannot become complete, in words; null if its picks have all their data. */
export const partialReason = ({
  uncollected,
  month,
}: Pick<MonthFacts, 'uncollected' | 'month'>): string | null =>
  uncollected.length === 0
    ? null
    : `${uncollected.join('; ')}: earlier days of ${month} have no such spend, and never will`;

/** Something that a month waits for before it can be locked. */
export interface Wait {
  reason: string;
  /** The doubt about the month's numbers, which an admin can accept; null if only time or a value can end the wait. */
  doubt: Doubt | null;
}

/** Returns everything that an open month waits for (docs/http.md#read-and-lock-months). */
export function openWaits(facts: MonthFacts, settlement: SettlementFacts, today: Day): Wait[] {
  const { month, settled, cost, valueSum, coverage } = facts;
  const hasEnded = today > lastDay(month);
  const waitingFor = hasEnded ? (facts.waitingFor ?? []) : [];
  const isSettled = settled && hasEnded;
  const spend = missingSpend(facts, hasEnded);
  // Until a month has ended, its values cannot be complete.
  const unreadable = unreadableOf(facts);
  const missing = [...spend, ...unreadable, ...(hasEnded ? (facts.valueDoubts ?? []) : [])];
  const days = isSettled ? [] : settleDayReasons(month, settlement, today);
  const isDue = !isSettled && cost !== null && [...waitingFor, ...days, ...spend].length === 0;
  const unknown = [
    ...(isDue ? ['waiting for the next daily settlement'] : []),
    // If a team's bill waits, its own reasons explain the missing cost.
    ...(cost === null && waitingFor.length === 0
      ? [`no ${spendInWords(coverage.undelivered)} has been ingested for ${month}`]
      : []),
    ...(valueSum === null && unreadable.length === 0 ? [`no value has been recorded for ${month}`] : []),
  ];
  const waits = (reasons: readonly string[]): Wait[] => reasons.map((reason) => ({ reason, doubt: null }));
  return [...waits([...days, ...waitingFor]), ...missing.map(waitFor), ...waits(unknown)];
}

export const waitFor = (doubt: Doubt): Wait => ({ reason: doubt.sentence, doubt });
