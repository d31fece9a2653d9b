/** A part of each bar. `name` is its key in the values, `label` is what people read, `color` is one of the theme, as `blue.6`. */
export interface StackedSeries {
  name: string;
  label: string;
  color: string;
}

/** A bar: a day or month with the amount of each series. A series without an amount has no part in it. */
export interface StackedPeriod {
  period: string;
  values: Readonly<Record<string, number | null | undefined>>;
}

/** What was picked: a part of a bar, a whole bar (`series` is null), or an entry of the legend (`period` is null). */
export interface StackedPick {
  period: string | null;
  series: string | null;
}

export interface StackedBarsProps {
  data: readonly StackedPeriod[];
  /** From the bottom to the top. */
  series: readonly StackedSeries[];
  /** What the chart shows, for screen readers. */
  label: string;
  /** An amount in full, for the hover. */
  valueFormatter: (value: number) => string;
  /** An amount for the axis. */
  axisFormatter: (value: number) => string;
  onPick?: (pick: StackedPick) => void;
  /** The height of the bars without the legend. */
  height: number;
}
