import { area, line } from 'd3-shape';
import type { ReactNode } from 'react';

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
  const x = (index: number): number =>
    MARGIN + (index / Math.max(1, values.length - 1)) * (WIDTH - 2 * MARGIN);
  const y = (value: number): number =>
    HEIGHT - MARGIN - ((value - low) / (high - low)) * (HEIGHT - 2 * MARGIN);
  const points = values.map((value, index) => ({ value, index }));
  const isKnown = ({ value }: { value: number | null }): boolean => value !== null;
  const stroke = line<(typeof points)[number]>()
    .defined(isKnown)
    .x(({ index }) => x(index))
    .y(({ value }) => y(value ?? 0))(points);
  const fill = area<(typeof points)[number]>()
    .defined(isKnown)
    .x(({ index }) => x(index))
    .y0(HEIGHT)
    .y1(({ value }) => y(value ?? 0))(points);
  const last = points.findLast(isKnown);
  return (
    <svg
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={label}
      display="block"
    >
      <path d={fill ?? ''} fill="var(--mantine-primary-color-filled)" opacity={0.12} />
      <path d={stroke ?? ''} fill="none" stroke="var(--mantine-primary-color-filled)" strokeWidth={1.5} />
      {last !== undefined && (
        <circle cx={x(last.index)} cy={y(last.value ?? 0)} r={2} fill="var(--mantine-primary-color-filled)" />
      )}
    </svg>
  );
}
