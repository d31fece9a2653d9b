import { toWire, type DecimalText } from '../../../../domain/shared/decimals.ts';
import { firstAndMore } from '../../../../domain/shared/text/for-message.ts';
import type { Statements } from '../../../engine/session.ts';
import { sqlText } from '../../../engine/sql/sql-text.ts';
import { asWritten } from '../cells.ts';
import { withoutQuery, type ExportFile } from '../export-files.ts';
import { relationsOf } from '../scan-files.ts';
import { keyOf } from './common-rows.ts';
import type { ReadDelivery } from './likely-copies.ts';

/** By the place of a delivery: the place of another one that has its rows. */
export type Containers = Map<number, number>;

/** Returns the delivery that has all rows of one, and is in no other. */
export function outermostOf(place: number, containers: Containers): number {
  let outermost = place;
  for (let next = containers.get(outermost); next !== undefined; next = containers.get(outermost))
    outermost = next;
  return outermost;
}

const MOST_NOTES = 20;

/** Returns notes on deliveries, each with what it is worth. The container is the outermost one. */
export async function copyNotes(
  reader: Statements,
  deliveries: readonly ReadDelivery[],
  containers: Containers,
  words: (inner: string, outer: string, worth: string) => string,
): Promise<string[]> {
  const notes: string[] = [];
  const inOrder = [...containers].sort(([one], [other]) => one - other);
  for (const [inner, outer] of inOrder.slice(0, MOST_NOTES)) {
    const [one, other] = [deliveries[inner], deliveries[outermostOf(outer, containers)]];
    if (one === undefined || other === undefined) continue;
    notes.push(words(withoutQuery(one.name), withoutQuery(other.name), await worthOf(reader, inner, one)));
  }
  const names = inOrder.slice(MOST_NOTES).map(([place]) => withoutQuery(deliveries[place]?.name ?? ''));
  return names.length === 0
    ? notes
    : [...notes, `the same holds for ${firstAndMore(names, MOST_NOTES).join(', ')}`];
}

async function worthOf(reader: Statements, place: number, { files }: ReadDelivery): Promise<string> {
  const [counted] = await reader.query<{ row_count: string }>(
    `SELECT row_count FROM temp.main.signatures WHERE place = ${place}`,
  );
  const statement = amountOf(files);
  const [amount] =
    statement === null ? [] : await reader.query<{ name: string; amount: DecimalText }>(statement);
  return `its ${Number(counted?.row_count)} rows${amount === undefined ? '' : ` with ${toWire(amount.amount)} of ${amount.name}`}`;
}

/** The columns whose sum says what a file is worth, the first with a sum counts. */
const AMOUNTS = ['effectivecost', 'billedcost', 'totalcost', 'cost', 'usage'];

/** Returns the statement that sums the amounts of some files: amount and column, the first column with a sum other than 0. */
function amountOf(files: readonly ExportFile[]): string | null {
  const scans = AMOUNTS.flatMap((wanted, place) =>
    relationsOf(files, 'skipped').flatMap((relation) =>
      relation.columns
        .filter((column) => keyOf(column) === wanted && column.isRepeated !== true)
        .map(
          (column) =>
            `SELECT ${place} AS place, ${sqlText(column.name.trim())} AS name, sum(TRY_CAST(${asWritten(column)} AS DECIMAL(38,15))) AS amount FROM ${relation.from}`,
        ),
    ),
  );
  return scans.length === 0
    ? null
    : `SELECT name, amount FROM (
         SELECT place, min(name) AS name, COALESCE(sum(amount), 0) AS amount FROM (${scans.join(' UNION ALL ')}) GROUP BY place)
       ORDER BY amount = 0, place LIMIT 1`;
}
