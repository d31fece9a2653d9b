/** Colours of series that stand out from the page, 3:1 in light and in dark, and from their neighbours in a stack. */
const SERIES = ['blue.6', 'orange.8', 'teal.8', 'grape.6', 'lime.9', 'pink.7', 'cyan.8'] as const;

/** The most series that a chart tells apart; the rest is shown as one. */
export const MOST_SERIES = SERIES.length;

/** The colour of what has no series of its own. */
export const REST_COLOR = 'gray.6';

/** The colour of a series by its place. */
export const seriesColor = (index: number): string => SERIES[index] ?? REST_COLOR;
