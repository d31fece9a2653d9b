import type { FoundAtSource, MatchedCluster } from '../../http/coming-routes.ts';
import { addMonths } from '../../shared/calendar.ts';
import { countText, quantityText, sizeText } from '../../shared/numbers.ts';

/** How many of something are named before the rest is only counted. */
const MOST_NAMED = 8;

/** Returns what a check found, by its names in words. What is not known is left out. */
export function foundWords(found: FoundAtSource): { name: string; words: string }[] {
  const { files, bytes, format, months, first_day: first, last_day: last, currency, accounts } = found;
  const matched = found.clusters_matched;
  const words: Record<string, string | null> = {
    Files: filesWords(files, bytes, format),
    Months: months.length === 0 ? null : `${countText(months.length, 'month')}: ${monthsWords(months)}`,
    Days: first === null || last === null ? null : first === last ? first : `${first} to ${last}`,
    Rows: found.rows_estimate === null ? null : `About ${countText(found.rows_estimate, 'row')}`,
    Currency: currency,
    Accounts: accounts.length === 0 ? null : `${countText(accounts.length, 'account')}: ${someOf(accounts)}`,
    Machines: matched === null ? null : [matched].flat().map(clusterWords).join(' '),
  };
  return Object.entries(words).flatMap(([name, text]) =>
    text === null || text === '' ? [] : [{ name, words: text }],
  );
}

function filesWords(files: number | null, bytes: number | null, format: string | null): string | null {
  const parts = [
    files === null ? null : countText(files, 'file'),
    format,
    bytes === null ? null : sizeText(bytes),
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(', ');
}

/** Names whole ranges of months, so that a month that is missing between them shows. */
export function monthsWords(months: readonly string[]): string {
  const ranges: { first: string; last: string }[] = [];
  for (const month of [...months].sort()) {
    const range = ranges.at(-1);
    if (range !== undefined && month === addMonths(range.last, 1)) range.last = month;
    else ranges.push({ first: month, last: month });
  }
  return ranges.map(({ first, last }) => (first === last ? first : `${first} to ${last}`)).join(', ');
}

const someOf = (names: readonly string[]): string =>
  names.length <= MOST_NAMED
    ? names.join(', ')
    : `${names.slice(0, MOST_NAMED).join(', ')} and ${quantityText(names.length - MOST_NAMED)} more`;

/** Says how much of a cluster is on the bill, so that people see whether a dollar would count twice. */
const clusterWords = ({ cluster, nodes, on_bill: onBill }: MatchedCluster): string =>
  `${quantityText(onBill)} of ${countText(nodes, 'node')}${cluster === undefined ? ' of connected clusters' : ` of cluster ${cluster}`} ${onBill === 1 ? 'is' : 'are'} on this bill.`;
