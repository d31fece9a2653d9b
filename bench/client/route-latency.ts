import { latenciesOf } from '../bare/load-test.ts';
import { compared, describe, type Measurement } from '../measurement.ts';
import type { RunOptions } from '../run-options.ts';
import { say } from '../say.ts';
import { percentile } from '../statistics.ts';

const WARM_UP_REQUESTS = 50;

/** A route of the service, and the bare route to compare it with. */
export interface RouteMeasurement {
  benchmark: string;
  name: string;
  ours: string;
  bare: string;
  secret: string;
  connections: number;
  /** The most of ours in relation to the bare route. */
  most: number;
  /** In each repetition, at full size. */
  requests: number;
}

/** Measures the latency of a route, p50 and p99, beside a bare route that does the least work for the same result. */
export async function measureRoute(route: RouteMeasurement, options: RunOptions): Promise<Measurement[]> {
  const { benchmark, connections } = route;
  const requests = Math.ceil(route.requests / (options.quick ? 10 : 1));
  const samples = {
    ours: { p50: [] as number[], p99: [] as number[] },
    bare: { p50: [] as number[], p99: [] as number[] },
  };
  const headers = { 'x-api-key': route.secret };
  const sides = [
    { into: samples.bare, url: route.bare },
    { into: samples.ours, url: route.ours },
  ];
  for (const { url } of sides)
    await latenciesOf({ url, headers, connections, requests: Math.min(requests, WARM_UP_REQUESTS) });
  for (let repetition = 1; repetition <= options.repetitions; repetition += 1) {
    for (const { into, url } of sides) {
      const latencies = await latenciesOf({ url, headers, connections, requests });
      into.p50.push(percentile(latencies, 50));
      into.p99.push(percentile(latencies, 99));
    }
  }
  return (['p50', 'p99'] as const).map((part) => {
    const measurement = compared(
      {
        benchmark,
        name: `${route.name}: ${part}, ${connections} connection${connections === 1 ? '' : 's'}`,
        unit: 'ms',
        target: route.most,
      },
      { ours: samples.ours[part], limit: samples.bare[part] },
    );
    say(`${benchmark}: ${describe(measurement)}`);
    return measurement;
  });
}
