import { Table } from '@mantine/core';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';

/** Up to here all rows are drawn. More are drawn only near the window, so that thousands of them stay smooth. */
const MOST_DRAWN = 200;
/** Rows above and below the window that are drawn too. */
const OVERSCAN = 16;

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
  const body = useRef<HTMLTableSectionElement>(null);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    setOffset(Math.round((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY));
  }, [count]);
  const enabled = isLong(count);
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollMargin: offset,
    enabled,
  });
  const drawn = enabled ? virtualizer.getVirtualItems().map(({ index }) => index) : [...items.keys()];
  const room = (rows: number): ReactNode =>
    enabled && (
      <tr aria-hidden style={{ height: rows * rowHeight }}>
        <td colSpan={columns} style={{ padding: 0 }} />
      </tr>
    );
  return (
    <Table.Tbody ref={body}>
      {room(drawn[0] ?? 0)}
      {drawn.map((index) => {
        const item = items[index];
        return item && row(item, index);
      })}
      {room(count - 1 - (drawn.at(-1) ?? -1))}
    </Table.Tbody>
  );
}
