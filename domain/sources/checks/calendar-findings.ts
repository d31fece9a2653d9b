import { addDays, addMonths, dayOf, monthOf, type Day, type Month } from '../../shared/calendar.ts';
import { firstAndMore } from '../../shared/text/for-message.ts';
import type { Findings } from './checked-source.ts';

/** When a source has charges. */
export interface ChargedTime {
  months: readonly Month[];
  firstDay: Day;
  lastDay: Day;
}

/** An export of which no newer day arrives does not go on. Clouds need up to three days, and a monthly export a month. */
const OLD_DAYS = 40;

const MOST_MONTHS = 12;

/**
 * Returns what is wrong with the time of a source's charges.
 *
 * @param cloud the cloud of a bill; null for other sources, which need not have charges in each month.
 */
export function calendarFindings(
  { months, firstDay, lastDay }: ChargedTime,
  now: Date,
  cloud: string | null,
): Findings {
  const today = dayOf(now);
  const problems: string[] = [];
  const warnings: string[] = [];
  if (firstDay > today)
    problems.push(
      `all charges are of days in the future, from ${firstDay} on: these are a plan or a forecast; name the export of what was charged`,
    );
  else if (lastDay < addDays(today, -OLD_DAYS))
    problems.push(
      `the newest charge is of ${lastDay}, more than ${OLD_DAYS} days ago: name the folder into which the export writes now, ` +
        'or make an export that goes on each day',
    );
  const missing = missingMonths(months);
  if (missing.length > 0)
    (cloud === null ? warnings : problems).push(
      `there is no charge of ${firstAndMore(missing, MOST_MONTHS).join(', ')}, between ${months[0] ?? ''} and ${months.at(-1) ?? ''}: ` +
        'export these months, too, so that their costs are not missing',
    );
  if (cloud !== null && months.length === 1 && months[0] === monthOf(today))
    warnings.push(
      `the only month is the running one, ${monthOf(today)}, so that no month can be compared or locked yet: ${BACKFILL[cloud] ?? 'export earlier months, too'}`,
    );
  return { problems, warnings };
}

/** How to get earlier months, in each cloud's own words. */
const BACKFILL: Partial<Record<string, string>> = {
  aws: 'open a case with AWS Support to backfill the export',
  azure: 'run the export again with "Export selected dates" for each earlier month',
  gcp: 'load earlier months from the export of a billing account that was set up before, because Google adds none later',
};

/** Returns the months without charges between those with charges, which are in order. */
function missingMonths(months: readonly Month[]): Month[] {
  const [first] = months;
  const last = months.at(-1);
  if (first === undefined || last === undefined) return [];
  const known = new Set(months);
  const missing: Month[] = [];
  for (let month = first; month < last; month = addMonths(month, 1))
    if (!known.has(month)) missing.push(month);
  return missing;
}
