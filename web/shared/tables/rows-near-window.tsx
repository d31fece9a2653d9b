import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useState, type ReactNode, type RefObject } from 'react';
import { RoomForRows } from './room-for-rows.tsx';

/** Rows above and below the window that are drawn too. */
const OVERSCAN = 16;

/** The rows of a long table that are near the window, with room for the others. All have the same height, in pixels. */
export function RowsNearWindow({
  body,
  count,
  rowHeight,
  columns,
  row,
}: {
  body: RefObject<HTMLElement | null>;
  count: number;
  rowHeight: number;
  columns: number;
  row: (index: number) => ReactNode;
}): ReactNode {
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    setOffset(Math.round((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY));
  }, [body, count]);
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollMargin: offset,
  });
  const drawn = virtualizer.getVirtualItems().map(({ index }) => index);
  return (
    <>
      <RoomForRows height={(drawn[0] ?? 0) * rowHeight} columns={columns} />
      {drawn.map(row)}
      <RoomForRows height={(count - 1 - (drawn.at(-1) ?? -1)) * rowHeight} columns={columns} />
    </>
  );
}
