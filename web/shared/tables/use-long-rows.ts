import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState, type RefObject } from 'react';

/** Up to here all rows are drawn. More are drawn only near the window, so that thousands of them stay smooth. */
const MOST_DRAWN = 200;
/** Rows above and below the window that are drawn too. */
const OVERSCAN = 12;

interface LongRows {
  /** The element with the rows. */
  body: RefObject<HTMLTableSectionElement | null>;
  /** Whether only the rows near the window are drawn. */
  isLong: boolean;
  /** The places of the rows to draw. */
  drawn: readonly number[];
  /** The room that the rows take up that are not drawn. */
  above: number;
  below: number;
}

/** Decides which rows of a table of any length are drawn. All rows of a long table have the same height. */
export const useLongRows = (count: number, rowHeight: number): LongRows => {
  const body = useRef<HTMLTableSectionElement>(null);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    setOffset(Math.round((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY));
  }, [count]);
  const isLong = count > MOST_DRAWN;
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollMargin: offset,
    enabled: isLong,
  });
  const drawn = isLong
    ? virtualizer.getVirtualItems().map(({ index }) => index)
    : Array.from({ length: count }, (_, index) => index);
  return {
    body,
    isLong,
    drawn,
    above: isLong ? (drawn[0] ?? 0) * rowHeight : 0,
    below: isLong ? (count - 1 - (drawn.at(-1) ?? -1)) * rowHeight : 0,
  };
};
