import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import type { Cluster } from '../../support/nodes/cluster.ts';
import { create, createMetric } from '../../support/service/create.ts';
import { as, newOrganisation, waitFor, type Api, type Run } from '../../support/service/api-client.ts';
import { expectData, expectPage } from '../../support/service/envelope.ts';

/** A day for each value that the clients send: enough of them until today. */
const dayAfter = (index: number): string => new Date(Date.UTC(1980, 0, 1 + index)).toISOString().slice(0, 10);

/** What a light route answered while something was broken. */
interface Look {
  status: number;
  retryAfter: string | null;
  ms: number;
}

/** The ingested export: `DAYS` days of January with so many lines that a load takes seconds. */
const DAYS = 31;
const LINES_A_DAY = 500;

/**
 * Defines stories in which parts of a cluster break under load, one after the other. Clients send values all the time, each value
 * once, and again until a node acknowledges it. Nothing acknowledged may be lost, and no number may differ between nodes.
 */
export function faultStories(running: () => Cluster): void {
  let cluster: Cluster;
  let secret: string;
  let source: string;
  const metrics: string[] = [];
  const acknowledged = new Map<string, Map<string, number>>();
  let isOver = false;
  let clients: Promise<void>[] = [];
  const anyone = (): Api => as(cluster, secret);

  beforeAll(async () => {
    cluster = running();
    ({ secret } = await newOrganisation(cluster));
    for (const name of ['Orders', 'Users']) {
      metrics.push(await createMetric(anyone(), { name, unit: 'unit' }));
    }
    const location = join(cluster.dataDir, 'bill.csv');
    source = await create(anyone(), '/cost-sources', { name: 'Bill', kind: 'focus', location });
    clients = metrics.map((metric) => send(metric));
  });
  afterAll(async () => {
    isOver = true;
    await Promise.all(clients);
  });

  /** Sends values of a metric until the test is over. A value that nobody has acknowledged is sent again. */
  const send = async (metric: string): Promise<void> => {
    const stored = new Map<string, number>();
    acknowledged.set(metric, stored);
    for (let index = 0; !isOver;) {
      const period = dayAfter(index);
      const answer = await anyone()
        .post(`/metrics/${metric}/values`, { values: [{ period, value: index }] })
        .catch(() => null);
      if (answer?.status === 200) {
        stored.set(period, index);
        index += 1;
      } else if (answer !== null) expect([answer.status, answer.body]).toEqual([503, answer.body]);
    }
  };

  const writeBill = (cost: number): Promise<void> =>
    writeFile(
      join(cluster.dataDir, 'bill.csv'),
      focusCsv(
        Array.from({ length: DAYS * LINES_A_DAY }, (_, line) =>
          dayLine(`2026-01-${String((line % DAYS) + 1).padStart(2, '0')}`, `${cost}`, {
            ResourceId: `i-${line}`,
          }),
        ),
      ),
    );

  const startIngest = async (): Promise<string> =>
    waitFor(async () => {
      const answer = await anyone().post<{ run_id: string }>(`/cost-sources/${source}/ingest`, {});
      return answer.status === 200 ? answer.body.data.run_id : undefined;
    });

  const endOf = (run: string): Promise<Run> =>
    waitFor(async () => {
      const answer = await anyone()
        .get<Run[]>(`/cost-sources/${source}/runs`)
        .catch(() => null);
      if (answer?.status !== 200) return undefined;
      return answer.body.data.find(({ run_id, status }) => run_id === run && status !== 'running');
    });

  /** Looks at light routes of every node, one after the other, until `end`. Returns what they answered. */
  const lookUntil = async (end: Promise<unknown>): Promise<Look[]> => {
    const over = new AbortController();
    const looks: Look[] = [];
    const paths = ['/auth/info', `/metrics/${metrics[0]}`, '/overview', '/organisation'];
    const look = async (): Promise<void> => {
      for (let turn = 0; !over.signal.aborted; turn += 1)
        for (const node of cluster.apis) {
          const begun = performance.now();
          const answer = await as(node, secret)
            .get(paths[turn % paths.length] ?? '')
            .catch(() => null);
          if (answer !== null)
            looks.push({
              status: answer.status,
              retryAfter: answer.headers.get('retry-after'),
              ms: performance.now() - begun,
            });
        }
    };
    const ended = end.finally(() => {
      over.abort();
    });
    await Promise.all([ended, look()]);
    return looks;
  };

  const told = (fault: string, looks: readonly Look[]): void => {
    const sorted = looks.map(({ ms }) => ms).sort((one, other) => one - other);
    const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
    const refused = looks.filter(({ status }) => status === 503).length;
    process.stdout.write(
      `${fault}: ${looks.length} reads, ${refused} refused with 503, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms\n`,
    );
  };

  /** Every answer is a 200, or a 503 that says when to try again. */
  const expectPatience = (looks: readonly Look[]): void => {
    const others = looks.filter(
      ({ status, retryAfter }) => !(status === 200 || (status === 503 && retryAfter !== null)),
    );
    expect(others).toEqual([]);
  };

  const everyNodeServes = async (): Promise<void> => {
    for (const node of cluster.apis)
      await waitFor(async () =>
        (await as(node, secret).get('/overview')).status === 200 ? true : undefined,
      );
  };

  /** Compares what every node shows with what clients and exports have said. */
  const expectSameNumbers = async (cost: number | null): Promise<void> => {
    for (const metric of metrics) {
      const before = new Map(acknowledged.get(metric));
      for (const node of cluster.apis) {
        const shown = new Map<string, number>();
        for (let cursor = ''; ;) {
          const path = `/metrics/${metric}/values?limit=1000${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
          const { items, next } = expectPage(
            await as(node, secret).get<{ period: string; value: number }[]>(path),
          );
          for (const { period, value } of items) shown.set(period, value);
          if (next === null) break;
          cursor = next;
        }
        for (const [period, value] of before) expect([period, shown.get(period)]).toEqual([period, value]);
      }
    }
    for (const node of cluster.apis) {
      const costs = expectData(
        await as(node, secret).get<{ total: number | null }>(
          '/costs?start_date=2026-01-01&end_date=2026-01-31',
        ),
      );
      expect(costs.total).toBe(cost === null ? null : cost * DAYS * LINES_A_DAY);
    }
  };

  it('completes an ingest whose worker is killed', async () => {
    await writeBill(1);
    const run = await startIngest();
    const [first] = cluster.workers;
    if (first === undefined) throw new Error('expected a worker');
    const looks = await lookUntil(
      (async () => {
        await cluster.replace(first);
        expect(await endOf(run)).toMatchObject({ status: 'completed', cost_total: DAYS * LINES_A_DAY });
      })(),
    );
    told('a worker killed in an ingest', looks);
    expectPatience(looks);
    await expectSameNumbers(1);
  });

  it('keeps what an API acknowledged before it was killed', async () => {
    const [first] = cluster.apis;
    if (first === undefined) throw new Error('expected an API');
    const others = cluster.apis.slice(1);
    const looks = await lookUntil(cluster.replace(first));
    told('an API killed in writes', looks);
    expectPatience(looks);
    expect(cluster.apis).toEqual(expect.arrayContaining(others));
    await everyNodeServes();
    await expectSameNumbers(1);
  });

  it('answers 503 while Postgres is stopped, and recovers without a restart', async () => {
    const pids = [...cluster.apis, ...cluster.workers].map(({ pid }) => pid);
    await writeBill(2);
    const run = await startIngest();
    const looks = await lookUntil(
      (async () => {
        await cluster.postgres.stop();
        // Every node has noticed.
        for (const node of cluster.apis) {
          const refused = await waitFor(async () => {
            const answer = await as(node, secret).get('/organisation');
            return answer.status === 200 ? undefined : answer;
          });
          expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
        }
        await cluster.postgres.start();
        await everyNodeServes();
      })(),
    );
    told('Postgres stopped and started', looks);
    expectPatience(looks);
    expect(await endOf(run)).toMatchObject({ status: 'completed', cost_total: 2 * DAYS * LINES_A_DAY });
    expect([...cluster.apis, ...cluster.workers].map(({ pid }) => pid)).toEqual(pids);
    await expectSameNumbers(2);
  });

  it('waits while the object store is busy, and loses nothing', async () => {
    await writeBill(3);
    cluster.front.setAway(true);
    const run = await startIngest();
    const refusals = () => cluster.front.refused();
    const before = refusals();
    const looks = await lookUntil(
      waitFor(async () => (refusals() > before ? true : undefined)).finally(() => {
        cluster.front.setAway(false);
      }),
    );
    told('the object store busy', looks);
    expectPatience(looks);
    expect(await endOf(run)).toMatchObject({ status: 'completed', cost_total: 3 * DAYS * LINES_A_DAY });
    await everyNodeServes();
    await expectSameNumbers(3);
  });
}
