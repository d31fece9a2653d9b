import { Table } from '@mantine/core';
import { lazy, Suspense, useDeferredValue, type ReactNode } from 'react';
import { RoomForRows } from './room-for-rows.tsx';

const RowsNearWindow = lazy(async () => ({
  default: (await import('./rows-near-window.tsx')).RowsNearWindow,
}));

/** Up to here all rows are drawn. More are drawn only near the window, so that thousands of them stay smooth. */
const MOST_DRAWN = 200;

/** Whether a table has so many rows that it draws only those near the window. Such a table needs `isLong` (DataTable). */
export const isLong = (count: number): boolean => count > MOST_DRAWN;

/** The rows of a table of any length. All rows of a long table have the same height, in pixels. */
export function LongBody<Item extends object>({
  items,
  rowHeight,
  columns,
  row,
}: {
  items: readonly Item[];
  rowHeight: number;
  columns: number;
  /** Draws the row of an item at a place. Its key tells it from the others. */
  row: (item: Item, index: number) => ReactNode;
}): ReactNode {
  const count = items.length;
  // Rows that fill the window are drawn at once. The others follow, so that nobody waits for rows that are out of sight.
  const inSight = Math.ceil(window.innerHeight / rowHeight);
  const drawn = useDeferredValue(count, inSight);
  const first = (most: number): ReactNode => (
    <Table.Tbody>
      {items.slice(0, most).map(row)}
      {most < count && <RoomForRows height={(count - most) * rowHeight} columns={columns} />}
    </Table.Tbody>
  );
  if (!isLong(count)) return first(drawn);
  return (
    <Suspense fallback={first(inSight)}>
      <RowsNearWindow
        count={count}
        rowHeight={rowHeight}
        columns={columns}
        row={(index) => {
          const item = items[index];
          return item && row(item, index);
        }}
      />
    </Suspense>
  );
}
