import type { ReactNode } from 'react';
import { linePaths } from './line-paths.ts';

const WIDTH = 112;
const HEIGHT = 28;
const MARGIN = 3;

/**
 * A small line of numbers over equal steps, with gaps where a number is missing. It needs no chart library, so that a list of a
 * thousand stays light. `label` says what it shows.
 */
export function Sparkline({
  values,
  label,
}: {
  values: readonly (number | null)[];
  label: string;
}): ReactNode {
  const known = values.filter((value) => value !== null);
  const low = Math.min(...known, 0);
  const high = Math.max(...known, low + Number.MIN_VALUE);
  const points = values.map(
    (value, index) =>
      value !== null && {
        x: MARGIN + (index / Math.max(1, values.length - 1)) * (WIDTH - 2 * MARGIN),
        y: HEIGHT - MARGIN - ((value - low) / (high - low)) * (HEIGHT - 2 * MARGIN),
      },
  );
  const { line, area } = linePaths(points, HEIGHT);
  const last = points.findLast(Boolean);
  return (
    <svg
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={label}
      display="block"
    >
      <path d={area} fill="var(--mantine-primary-color-filled)" opacity={0.12} />
      <path d={line} fill="none" stroke="var(--mantine-primary-color-filled)" strokeWidth={1.5} />
      {last && <circle cx={last.x} cy={last.y} r={2} fill="var(--mantine-primary-color-filled)" />}
    </svg>
  );
}
