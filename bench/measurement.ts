import { median } from './statistics.ts';

/** One line of the report: our result, the limit's result, and the target. */
export interface Measurement {
  benchmark: string;
  name: string;
  unit: 'ms' | 's' | 'kB' | 'MiB' | 'count' | '1/s';
  ours: number;
  /** The result of the bare counterpart, or null if there is none. */
  limit: number | null;
  ratio: number | null;
  /** The maximum of the ratio, or of ours if there is no limit. Null without a target. */
  target: number | null;
  met: boolean | null;
  /** The single measurements, in the unit. */
  samples: { ours: readonly number[]; limit: readonly number[] };
}

type Named = Pick<Measurement, 'benchmark' | 'name' | 'unit'> & { target: number | null };

/** Returns how long `work` takes, in seconds. */
export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

/** Compares ours with a limit measured in the same run, by the ratio of the medians. */
export function compared(
  { target, ...named }: Named,
  samples: { ours: readonly number[]; limit: readonly number[] },
): Measurement {
  const ours = median(samples.ours);
  const limit = median(samples.limit);
  const ratio = ours / limit;
  return { ...named, ours, limit, ratio, target, met: target === null ? null : ratio <= target, samples };
}

/** Returns the measurement of an amount of ours without a limit. */
export const alone = ({ target, ...named }: Named, ours: number): Measurement => ({
  ...named,
  ours,
  limit: null,
  ratio: null,
  target,
  met: target === null ? null : ours <= target,
  samples: { ours: [ours], limit: [] },
});

const text = (value: number | null): string =>
  value === null ? '' : value >= 100 ? value.toFixed(0) : value.toFixed(2);

/** Returns a measurement in one line, as progress. */
export const describe = ({ name, unit, ours, limit }: Measurement): string =>
  `${name}: ${text(ours)} ${unit}${limit === null ? '' : `, bare ${text(limit)} ${unit}`}`;

/** The columns of the report. */
export const HEADER = ['benchmark', 'what', 'unit', 'ours', 'limit', 'ratio', 'target', 'met'] as const;

/** Returns a measurement as cells of the report. */
export const cells = (m: Measurement): string[] => [
  m.benchmark,
  m.name,
  m.unit,
  text(m.ours),
  text(m.limit),
  text(m.ratio),
  m.target === null ? '' : `≤ ${Number(m.target.toPrecision(3))}${m.ratio === null ? '' : '×'}`,
  m.met === null ? '' : m.met ? 'yes' : 'NO',
];

/** Returns the report as a text table. */
export function table(measurements: readonly Measurement[]): string {
  const rows = measurements.map(cells);
  const widths = HEADER.map((_, column) =>
    Math.max(...[HEADER, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column < 3 || column === 7 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return [HEADER, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('\n');
}
