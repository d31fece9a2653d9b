import { timesOfLoad } from '../../bare/load-test.ts';
import { cpuDuring } from '../../client/process-cpu.ts';
import type { Service } from '../../client/service.ts';
import { makeYear, newAnswersOrganisation } from '../../data/answers-organisation.ts';
import { alone, compared, type Measurement } from '../../measurement.ts';
import type { ScaledOut } from '../../nodes/scaled-out.ts';
import type { RunOptions } from '../../run-options.ts';
import { say } from '../../say.ts';
import { median } from '../../statistics.ts';

/** Divides evenly by one, two and three. */
const CONNECTIONS = 24;
const WARM_UP = 48;

/**
 * Compares reads per second through two and three APIs with those through one, by turns. On few cores the APIs take time from
 * each other, from Postgres and from the client. So it also measures the CPU time of each for 1,000 reads.
 */
export async function reads(
  { cluster, apis }: ScaledOut,
  { quick, repetitions }: RunOptions,
): Promise<Measurement[]> {
  const { dataDir, postgres } = cluster;
  const count = quick ? 10 : 1_000;
  say(`scale: creating ${count} metrics`);
  const file = await makeYear(dataDir);
  const { secret, metric } = await newAnswersOrganisation({ url: apis[0].url, dataDir }, file, count);
  const routes = [
    { name: 'GET /metrics/{id}', path: `/metrics/${metric}`, requests: 6_000 },
    { name: 'GET /metrics/{id}/months', path: `/metrics/${metric}/months`, requests: 6_000 },
    { name: 'GET /costs, a year', path: '/costs?start_date=2025-01-01&end_date=2025-12-31', requests: 3_000 },
    { name: `GET /overview, ${count} metrics`, path: '/overview', requests: 1_200 },
  ];
  const processes = { api: apis.map(({ pid }) => pid), Postgres: [postgres.pid()] };
  const measurements: Measurement[] = [];
  for (const { name, path, requests } of routes) {
    const total = quick ? 120 : requests;
    /** Returns the seconds that it takes. */
    const read = async (some: readonly Service[], all: number): Promise<number> => {
      const times = await Promise.all(
        some.map(({ url }) =>
          timesOfLoad({
            url: `${url}/api/v1${path}`,
            headers: { 'x-api-key': secret },
            connections: CONNECTIONS / some.length,
            requests: all / some.length,
          }),
        ),
      );
      return Math.max(...times.map(({ seconds }) => seconds));
    };
    await read(apis, WARM_UP);
    const perSecond: Record<1 | 2 | 3, number[]> = { 1: [], 2: [], 3: [] };
    const { cpu } = await cpuDuring(processes, async () => {
      for (let repetition = 1; repetition <= repetitions; repetition += 1)
        for (const nodes of [1, 2, 3] as const)
          perSecond[nodes].push(total / (await read(apis.slice(0, nodes), total)));
    });
    const named = { benchmark: 'scale', target: null } as const;
    const rate = (nodes: 2 | 3): Measurement =>
      compared(
        { ...named, name: `${name}: reads a second, ${nodes} APIs beside 1`, unit: '1/s' },
        { ours: perSecond[nodes], limit: perSecond[1] },
      );
    const thousands = (3 * repetitions * total) / 1_000;
    measurements.push(
      rate(2),
      rate(3),
      ...(['api', 'Postgres'] as const).map((kind) =>
        alone(
          { ...named, name: `${name}: CPU of ${kind} for 1,000 reads`, unit: 's' },
          cpu[kind] / thousands,
        ),
      ),
    );
    const rates = ([1, 2, 3] as const).map((nodes) => median(perSecond[nodes]).toFixed(0));
    say(`scale: ${name}: ${rates.join(', ')} reads a second with 1, 2, 3 APIs`);
  }
  return measurements;
}
