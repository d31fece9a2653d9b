import type { Day } from '../../../../domain/shared/calendar.ts';
import { naiveDecisions } from '../naive-assets.ts';
import { naiveBills } from './naive-bill-answers.ts';
import { naiveBreakdown, naiveReconciliation, naiveSummary, within } from './naive-costs.ts';
import { unmatchedOn } from '../naive-unmatched.ts';
import type { NaiveOrganisation } from '../naive-organisation.ts';
import { naiveRecords } from './naive-records.ts';
import type { Organisation } from '../../organisation-story.ts';

const DAY = 86_400_000;
const dayNumber = (day: Day): number => Date.parse(day) / DAY;
const dayBefore = (day: Day, days: number): Day =>
  new Date((dayNumber(day) - days) * DAY).toISOString().slice(0, 10);

const daysWithin = ({ start, end }: { start: Day; end: Day }): Day[] =>
  start > end ? [] : [...daysWithin({ start, end: dayBefore(end, 1) }), end];

/** Returns the naive calculation's answers about an organisation, in the form of `answered` (told-answers.ts). */
export function naiveAnswers(
  naive: NaiveOrganisation,
  organisation: Organisation,
  groupings: readonly (readonly string[])[],
) {
  const { today, range } = organisation;
  const rows = naive.sources.rows();
  naive.bills.seal(today);
  const spent = naive.spent().map((one) => {
    const owner = naive.teams.ownerOf(one);
    return { ...one, team: owner !== null && 'team' in owner ? `Team ${owner.team}` : null };
  });
  const inRange = within(spent, range);
  const before = {
    start: dayBefore(range.start, 1 + dayNumber(range.end) - dayNumber(range.start)),
    end: dayBefore(range.start, 1),
  };
  return {
    metrics: naive.metrics.flatMap((metric, index) =>
      metric === null ? [] : [naiveRecords(naive, metric, index, today, spent)],
    ),
    bills: naiveBills(naive, today, spent),
    completeThrough: naive.sources.completeThrough(range.start, today),
    summary: naiveSummary(spent, range, before, ({ start, end }) =>
      naive.sources.coversAnyOf(
        Array.from({ length: 1 + dayNumber(end) - dayNumber(start) }, (_, days) => dayBefore(end, days)),
      ),
    ),
    breakdowns: Object.fromEntries(groupings.map((keys) => [keys.join(), naiveBreakdown(inRange, keys)])),
    reconciliation: naiveReconciliation(
      inRange,
      { allocations: within(rows.allocations, range), shares: within(rows.shares, range) },
      naiveDecisions(daysWithin(range), rows, (day) => unmatchedOn(day, rows)),
    ),
  };
}
