import { Table } from '@mantine/core';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { RoomForRows } from './room-for-rows.tsx';

/** Rows above and below the window that are drawn too. */
const OVERSCAN = 16;

/** The rows of a long table that are near the window, with room for the others. All have the same height, in pixels. */
export function RowsNearWindow({
  count,
  rowHeight,
  columns,
  row,
}: {
  count: number;
  rowHeight: number;
  columns: number;
  row: (index: number) => ReactNode;
}): ReactNode {
  const body = useRef<HTMLTableSectionElement>(null);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    setOffset(Math.round((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY));
  }, [count]);
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollMargin: offset,
  });
  const drawn = virtualizer.getVirtualItems().map(({ index }) => index);
  return (
    <Table.Tbody ref={body}>
      <RoomForRows height={(drawn[0] ?? 0) * rowHeight} columns={columns} />
      {drawn.map(row)}
      <RoomForRows height={(count - 1 - (drawn.at(-1) ?? -1)) * rowHeight} columns={columns} />
    </Table.Tbody>
  );
}
