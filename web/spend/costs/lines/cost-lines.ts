import { sumOf } from '../../../shared/sums.ts';
import { keyOf, type CostKey } from './cost-keys.ts';
import type { CostRow } from '../costs-queries.ts';
import type { CostOrder, Group } from '../costs-search.ts';

/** A part of the spend of the first grouping. */
export interface CostPart {
  key: CostKey;
  total: number;
  row: CostRow;
}

/** A part of an open row; null as long as it is on its way. */
export interface FinerParts {
  group: Group;
  parts: readonly CostPart[] | null;
  error: unknown;
}

/** A line of the table, from the top to the bottom. */
export type CostLine =
  | { kind: 'part'; part: CostPart; isOpen: boolean }
  | { kind: 'finer'; part: CostPart; under: CostPart; group: Group }
  | { kind: 'waiting'; under: CostPart; error: unknown };

/** Returns rows as parts of a grouping. */
export const partsOf = (rows: readonly CostRow[], group: Group): CostPart[] =>
  rows.map((row) => ({ key: keyOf(row, group), total: row.total, row }));

const compareNames = new Intl.Collator(undefined, { numeric: true }).compare;

const ORDERS: Record<CostOrder, (one: CostPart, other: CostPart) => number> = {
  'total-down': (one, other) => other.total - one.total,
  'total-up': (one, other) => one.total - other.total,
  'name-up': (one, other) => compareNames(one.key.name, other.key.name),
  'name-down': (one, other) => compareNames(other.key.name, one.key.name),
};

/** Whether the words of a search are in a name. */
const has = ({ key: { name, detail } }: CostPart, wanted: string): boolean =>
  name.toLowerCase().includes(wanted) || (detail?.toLowerCase().includes(wanted) ?? false);

/**
 * Returns the lines of the table, and the sum of what was found. A part that a search does not find is still there if it is
 * open and has a finer part that the search finds.
 */
export function linesOf(
  parts: readonly CostPart[],
  finerOfPart: (part: CostPart) => FinerParts | null,
  { q, order }: { q: string; order: CostOrder },
): { lines: CostLine[]; found: number } {
  const wanted = q.trim().toLowerCase();
  const lines: CostLine[] = [];
  const amounts: number[] = [];
  for (const part of parts.toSorted(ORDERS[order])) {
    const finer = finerOfPart(part);
    const isFound = has(part, wanted);
    const shown = finer?.parts?.filter((one) => isFound || has(one, wanted)) ?? [];
    if (!isFound && shown.length === 0) continue;
    amounts.push(...(isFound ? [part] : shown).map(({ total }) => total));
    lines.push({ kind: 'part', part, isOpen: finer !== null });
    if (finer === null) continue;
    if (finer.parts === null) lines.push({ kind: 'waiting', under: part, error: finer.error });
    for (const one of shown.toSorted(ORDERS[order])) {
      lines.push({ kind: 'finer', part: one, under: part, group: finer.group });
    }
  }
  return { lines, found: sumOf(amounts) };
}
