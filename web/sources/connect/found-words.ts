import type { Schema } from '../../http/api.ts';
import { addMonths } from '../../shared/calendar.ts';
import { countText, quantityText, sizeText } from '../../shared/numbers.ts';

type FoundAtSource = Schema<'CheckedSource'>['found'];

/** How many of something are named before the rest is only counted. */
const MOST_NAMED = 8;

/** Returns what a check found, by its names in words. What is not known is left out. */
export function foundWords(found: FoundAtSource): { name: string; words: string }[] {
  const { months, first_day: first, last_day: last, currency, accounts, units, clusters } = found;
  const words: Record<string, string | null> = {
    Files: filesWords(found),
    Months: months.length === 0 ? null : `${countText(months.length, 'month')}: ${monthsWords(months)}`,
    Days: first === null || last === null ? null : first === last ? first : `${first} to ${last}`,
    Rows: rowsWords(found),
    Currency: currency,
    Accounts: accounts.length === 0 ? null : `${countText(accounts.length, 'account')}: ${someOf(accounts)}`,
    'Clusters, hosts or tools': accounts.length > 0 || units.length === 0 ? null : someOf(units),
    Machines: clusters
      .map((one) => clusterWords(one, accounts.length > 0 ? 'this bill' : 'connected bills'))
      .join(' '),
    'A daily run': unchangedWords(found),
  };
  return Object.entries(words).flatMap(([name, text]) =>
    text === null || text === '' ? [] : [{ name, words: text }],
  );
}

function filesWords({ files, files_not_read: unread, bytes, format }: FoundAtSource): string | null {
  if (files === 0) return 'None';
  const parts = [
    files === null ? null : countText(files, 'file'),
    format,
    bytes === null ? null : sizeText(bytes),
    unread === null || unread === 0 ? null : `${quantityText(unread)} of them not read`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(', ');
}

const rowsWords = ({ rows_estimate: rows, files_not_read: unread }: FoundAtSource): string | null =>
  rows === null ? null : `${unread === 0 ? '' : 'About '}${countText(rows, 'row')}`;

const unchangedWords = ({ files, unchanged_by_run: unchanged }: FoundAtSource): string | null =>
  files === null || unchanged === null || unchanged === 0
    ? null
    : `${quantityText(unchanged)} of ${countText(files, 'file')} did not change for a day, and would not be read again`;

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
const clusterWords = (
  { cluster, nodes, on_bill: onBill }: FoundAtSource['clusters'][number],
  bill: string,
): string =>
  `${quantityText(onBill)} of ${countText(nodes, 'node')} of cluster ${cluster} ${onBill === 1 ? 'is' : 'are'} on ${bill}.`;
