import Big from 'big.js';
import { addDays, dayOf, type Day } from '../../shared/calendar.ts';
import { decimalOf, type DecimalText } from '../../shared/decimals.ts';
import { CONTROL_CHARACTER } from '../../shared/text/control-characters.ts';
import { normalRepository } from '../repository.ts';
import type { Attribute, ExportRequest, Metric, Point } from './export-request.ts';

/** The resource attribute of OpenTelemetry's conventions for the address of a repository. */
export const REPOSITORY_ATTRIBUTE = 'vcs.repository.url.full';

/** The tool of the metrics that are taken, and what each counts. Its cost is an estimate at list prices, and so only usage. */
const METRICS = { 'claude_code.cost.usage': 'cost', 'claude_code.token.usage': 'tokens' } as const;
export const TOOL = 'claude-code';

/** A late point of an earlier day counts that long. Afterwards only the sums of days are kept (usage-points.ts). */
export const MOST_DAYS_LATE = 92;

/** Shares are exact as long as the product of two usages fits 128 bits (distributed-spend.ts). */
const LARGEST_VALUE = 1e12;
const DECIMALS = 12;
const LONGEST_REPOSITORY = 500;
/** The attributes that tell a series from others, as JSON. */
const LONGEST_SERIES = 8_192;
const LAST_NANOS = 2n ** 63n - 1n;
const NANOS_OF_MS = 1_000_000n;

/** One measured value of a series. */
export interface UsagePoint {
  /** What tells the series of points apart, and the name of its metric. */
  series: string;
  counts: (typeof METRICS)[keyof typeof METRICS];
  /** Whether the value is the sum since the start of the series. Otherwise it is the part of its own span. */
  isCumulative: boolean;
  repository: string | null;
  /** Nanoseconds since 1970. */
  start: string;
  time: string;
  /** The UTC day of the point's time. */
  day: Day;
  value: DecimalText;
}

export interface ReadPoints {
  points: UsagePoint[];
  rejected: number;
  /** Why points were rejected, each reason once. */
  reasons: string[];
}

/**
 * Returns the points of usage in a request, each once, and why others of the same metrics are rejected. Other metrics are ignored,
 * because exporters send all that they have.
 *
 * @param attribute names the repository. An attribute of the point wins over one of the resource, because it says more exactly what
 *   the point counts. Without the attribute, the usage belongs to no repository.
 */
export function usagePoints(request: ExportRequest, attribute: string, now: Date): ReadPoints {
  const points = new Map<string, UsagePoint>();
  const reasons = new Set<string>();
  let rejected = 0;
  for (const { resource, scopeMetrics } of request.resourceMetrics)
    for (const metric of scopeMetrics.flatMap(({ metrics }) => metrics)) {
      const counts = countedBy(metric);
      if (counts === null) continue;
      for (const each of metric.sum?.dataPoints ?? []) {
        const read = pointOf(each, { metric, counts, resource: resource?.attributes ?? [], attribute, now });
        if (typeof read === 'string') {
          rejected += 1;
          reasons.add(read);
        } else points.set(JSON.stringify([read.series, read.start, read.time]), read);
      }
    }
  return { points: [...points.values()], rejected, reasons: [...reasons] };
}

const countedBy = ({ name }: Metric): UsagePoint['counts'] | null =>
  Object.entries(METRICS).find(([taken]) => taken === name)?.[1] ?? null;

interface Of {
  metric: Metric;
  counts: UsagePoint['counts'];
  resource: Attribute[];
  attribute: string;
  now: Date;
}

/** Returns a point, or why it is rejected. */
function pointOf(point: Point, { metric, counts, resource, attribute, now }: Of): UsagePoint | string {
  const { attributes, startTimeUnixNano: start, timeUnixNano: time } = point;
  const isCumulative = TEMPORALITIES[String(metric.sum?.aggregationTemporality)];
  if (isCumulative === undefined) return `${metric.name}: expected delta or cumulative temporality`;
  const value = amountOf(point);
  if (value === null) return `${metric.name}: expected a number from 0 to 1e12`;
  const day = dayOfNanos(time, now);
  if (day === null || BigInt(start) > BigInt(time))
    return `${metric.name}: expected a time from ${MOST_DAYS_LATE} days ago to tomorrow, after its start`;
  const named = repositoryIn(attributes, attribute) ?? repositoryIn(resource, attribute) ?? '';
  if (typeof named !== 'string' || named.length > LONGEST_REPOSITORY || CONTROL_CHARACTER.test(named))
    return `${attribute}: expected a text of at most ${LONGEST_REPOSITORY} characters without control characters`;
  const series = JSON.stringify([metric.name, isCumulative, byKey(resource), byKey(attributes)]);
  if (series.length > LONGEST_SERIES)
    return `${metric.name}: expected attributes of at most ${LONGEST_SERIES} characters in all`;
  const repository = normalRepository(named);
  return {
    series,
    counts,
    isCumulative,
    repository: repository === '' ? null : repository,
    start,
    time,
    day,
    value,
  };
}

/** Whether a temporality is cumulative, by its number or name in OTLP. */
const TEMPORALITIES: Partial<Record<string, boolean>> = {
  1: false,
  AGGREGATION_TEMPORALITY_DELTA: false,
  2: true,
  AGGREGATION_TEMPORALITY_CUMULATIVE: true,
};

function amountOf({ asDouble, asInt }: Point): DecimalText | null {
  const text = String(asDouble ?? asInt ?? '');
  const number = Number(text);
  if (text.trim() === '' || !(number >= 0 && number <= LARGEST_VALUE)) return null;
  return /^[\d.]+(e[+-]?\d+)?$/i.test(text)
    ? decimalOf(text).round(DECIMALS, Big.roundHalfUp).toFixed()
    : null;
}

function dayOfNanos(time: string, now: Date): Day | null {
  if (BigInt(time) > LAST_NANOS) return null;
  const day = dayOf(new Date(Number(BigInt(time) / NANOS_OF_MS)));
  const today = dayOf(now);
  return day >= addDays(today, -MOST_DAYS_LATE) && day <= addDays(today, 1) ? day : null;
}

/** Returns the value of the attribute that names the repository; undefined without one, null if it is no text. */
function repositoryIn(attributes: readonly Attribute[], name: string): string | null | undefined {
  const found = attributes.find(({ key }) => key === name);
  if (found === undefined) return undefined;
  const { value } = found;
  const text =
    typeof value === 'object' && value !== null && 'stringValue' in value ? value.stringValue : null;
  return typeof text === 'string' ? text : null;
}

const byKey = (attributes: readonly Attribute[]): [string, unknown][] =>
  attributes
    .map(({ key, value }): [string, unknown] => [key, value])
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
