import { z } from 'zod';

// What Claude Code and collectors send, as OTLP's JSON: protobuf is decoded to the same (docs/data-formats.md#usage-by-opentelemetry).
// Fields that are not read may be anything, because later versions of OTLP add some.

/** Returns the schema of a list. In OTLP's JSON, null and nothing are an empty list. */
const list = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);

/** Nanoseconds since 1970 as a text. JavaScript reads a number only to some hundred nanoseconds, but always alike. */
const nanos = z
  .union([
    z.string().regex(/^\d{1,19}$/, { error: 'expected nanoseconds since 1970' }),
    z
      .number()
      .min(0)
      .max(Number.MAX_VALUE)
      .transform((time) => BigInt(Math.trunc(time)).toString()),
  ])
  .nullish()
  .transform((time) => time ?? '0');

const attribute = z.object({ key: z.string().default(''), value: z.unknown() });

/** A value is a number, or one of the texts `NaN`, `Infinity` and `-Infinity`, or of a whole number. */
const value = z.union([z.number(), z.string().max(30)]).nullish();

const point = z.object({
  attributes: list(attribute),
  startTimeUnixNano: nanos,
  timeUnixNano: nanos,
  asDouble: value,
  asInt: value,
});

const metric = z.object({
  name: z.string().default(''),
  sum: z
    .object({
      dataPoints: list(point),
      aggregationTemporality: z.union([z.number(), z.string()]).nullish(),
    })
    .nullish(),
});

/** The body of a request to export metrics. */
export const exportRequest = z.object({
  resourceMetrics: list(
    z.object({
      resource: z.object({ attributes: list(attribute) }).nullish(),
      scopeMetrics: list(z.object({ metrics: list(metric) })),
    }),
  ),
});

export type ExportRequest = z.output<typeof exportRequest>;
export type Attribute = z.output<typeof attribute>;
export type Metric = z.output<typeof metric>;
export type Point = z.output<typeof point>;
