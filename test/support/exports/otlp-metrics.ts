/** A point as a test states it. Without `start`, it begins a minute before its time. */
export interface TestPoint {
  /** An instant, such as `2026-01-30T12:00:00Z`. */
  at: string;
  value: number;
  start?: string;
  /** Attributes of the point. */
  attributes?: Record<string, string>;
}

export const COST = 'claude_code.cost.usage';
export const TOKENS = 'claude_code.token.usage';

const nanos = (at: string): string => `${Date.parse(at)}000000`;

const attributes = (values: Record<string, string>) =>
  Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));

const minuteBefore = (at: string): string => new Date(Date.parse(at) - 60_000).toISOString();

/** Returns a request of OTLP in JSON with the points of one metric. */
export const otlpRequest = (
  points: readonly TestPoint[],
  {
    metric = COST,
    resource = {},
    temporality = 1,
  }: { metric?: string; resource?: Record<string, string>; temporality?: number } = {},
) => ({
  resourceMetrics: [
    {
      resource: { attributes: attributes(resource) },
      scopeMetrics: [
        {
          scope: { name: 'com.anthropic.claude_code' },
          metrics: [
            {
              name: metric,
              unit: 'USD',
              sum: {
                aggregationTemporality: temporality,
                isMonotonic: true,
                dataPoints: points.map(({ at, value, start = minuteBefore(at), attributes: own = {} }) => ({
                  attributes: attributes(own),
                  startTimeUnixNano: nanos(start),
                  timeUnixNano: nanos(at),
                  asDouble: value,
                })),
              },
            },
          ],
        },
      ],
    },
  ],
});
