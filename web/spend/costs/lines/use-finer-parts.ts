import { useQueries } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { finerOf, keyOf } from './cost-keys.ts';
import { partsOf, type CostPart, type FinerParts } from './cost-lines.ts';
import type { CostRange } from '../cost-range.ts';
import { breakdownQuery, type CostRow } from '../costs-queries.ts';
import type { Group } from '../costs-search.ts';
import { useOpenParts } from './use-open-parts.ts';

const route = getRouteApi('/signed-in/costs');

function byPart(rows: readonly CostRow[], by: Group): Map<string, CostRow[]> {
  const found = new Map<string, CostRow[]>();
  for (const row of rows) {
    const { id } = keyOf(row, by);
    const others = found.get(id) ?? [];
    found.set(id, others);
    others.push(row);
  }
  return found;
}

/** Returns what each open part opens to; null for a closed one. Only what open parts need is asked for. */
export function useFinerParts(
  range: CostRange,
  parts: readonly CostPart[],
): (part: CostPart) => FinerParts | null {
  const { by, then } = route.useSearch();
  const { isOpen } = useOpenParts();
  const open = parts.filter(({ key }) => isOpen(key.id));
  const groupOf = (part: CostPart): Group => then ?? finerOf(part.row, by);
  const groups = [...new Set(open.map(groupOf))];
  const answers = useQueries({ queries: groups.map((group) => breakdownQuery(range, [by, group])) });
  const ids = new Set(open.map(({ key }) => key.id));
  const known = new Map(
    answers.map(({ data, error }, index) => [
      groups[index],
      { rows: data === undefined ? null : byPart(data.rows, by), error },
    ]),
  );
  return (part) => {
    if (!ids.has(part.key.id)) return null;
    const group = groupOf(part);
    const { rows = null, error = null } = known.get(group) ?? {};
    return { group, parts: rows && partsOf(rows.get(part.key.id) ?? [], group), error };
  };
}
