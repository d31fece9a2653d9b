import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RACES } from '../../support/effort.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { startCluster, type Cluster } from '../../support/nodes/cluster.ts';
import { createMetric } from '../../support/service/create.ts';
import {
  as,
  ingest,
  newOrganisation,
  waitFor,
  type Answer,
  type Api,
  type Run,
} from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { newDataDir, removeDataDir, runCommand } from '../../support/service/service-process.ts';
import { faultStories } from './faults.ts';
import { CLUSTER, lacking } from '../../support/needs.ts';
import { COUNTED_TEST_MS } from '../../support/patience.ts';

const why = lacking(...CLUSTER);

/** Three API and two worker processes over one DuckLake. */
describe.skipIf(why !== '')(`nodes of one DuckLake${why}`, () => {
  let cluster: Cluster;
  let admins: [Api, Api, Api];
  let secret: string;
  let source: string;

  const on = (key: string): [Api, Api, Api] => {
    const [one, two, three] = cluster.apis;
    if (one === undefined || two === undefined || three === undefined)
      throw new Error('expected three nodes');
    return [as(one, key), as(two, key), as(three, key)];
  };

  /** Twelve months of spend, of 31 USD each: enough months for all races, in as many metrics as it takes. */
  const MONTHS = Array.from({ length: 12 }, (_, index) => `2025-${String(index + 1).padStart(2, '0')}`);

  beforeAll(async () => {
    cluster = await startCluster(await newDataDir(), { CLOCK: '2026-02-07T06:00:00Z' });
    ({ secret } = await newOrganisation(cluster));
    admins = on(secret);
    const location = join(cluster.dataDir, 'bill.csv');
    const days = MONTHS.flatMap((month) => [dayLine(`${month}-01`, '11'), dayLine(`${month}-28`, '20')]);
    await writeFile(location, focusCsv([...days, dayLine('2026-01-31', '1')]));
    source = expectData(
      await admins[0].post<{ id: string }>('/cost-sources', { name: 'Bill', kind: 'focus', location }),
    ).id;
    expect(await ingest(admins[0], source, {})).toMatchObject({ status: 'completed' });
  });
  afterAll(async () => {
    expect(await cluster.stop()).toBe(0);
    await removeDataDir(cluster.dataDir);
  });

  /** A test that runs all races of a decision. */
  const RACE = { timeout: COUNTED_TEST_MS };

  /** Runs both at once, on two nodes that change from round to round. Exactly one may win. */
  const race = async (
    round: number,
    ...decisions: ((api: Api) => Promise<Answer<unknown>>)[]
  ): Promise<{ won: number; refused: number }> => {
    const answers = await Promise.all(
      decisions.map((decide, index) => decide(admins[(round + index) % admins.length] ?? admins[0])),
    );
    const statuses = answers.map(({ status }) => status);
    return {
      won: statuses.filter((status) => status === 200).length,
      refused: statuses.filter((status) => status === 409).length,
    };
  };
  const ONE_WINNER = { won: 1, refused: 1 };

  const newMetric = (name: string, admin = admins[0]): Promise<string> => createMetric(admin, { name });

  it('decide alone: a month is locked into one first version', RACE, async () => {
    for (let round = 0; round < RACES;) {
      const metric = await newMetric(`Orders ${round}`);
      const values = MONTHS.map((month) => ({ period: `${month}-28`, value: 10 }));
      expectData(await admins[1].post(`/metrics/${metric}/values`, { values }));
      for (const month of MONTHS.slice(0, RACES - round)) {
        const lock = (api: Api) => api.post(`/metrics/${metric}/months/${month}/lock`);
        expect({ month, ...(await race(round, lock, lock)) }).toEqual({ month, ...ONE_WINNER });
        const versions = await Promise.all(
          admins.map(async (api) =>
            expectData(
              await api.get<{ version: number; cost: number; unit_cost: number }[]>(
                `/metrics/${metric}/months/${month}/versions`,
              ),
            ),
          ),
        );
        for (const seen of versions)
          expect(seen).toMatchObject([{ version: 1, cost: 31, value: 10, unit_cost: 3.1 }]);
        round += 1;
      }
    }
  });

  it('decide alone: a pick belongs to one team', RACE, async () => {
    for (let round = 0; round < RACES; round += 1) {
      const ownership = [{ source: 'cloud', cloud: 'aws', account: `race-${round}` }];
      const create = (name: string) => (api: Api) =>
        api.post('/teams', { name: `${name} ${round}`, ownership });
      expect({ round, ...(await race(round, create('Shop'), create('Search'))) }).toEqual({
        round,
        ...ONE_WINNER,
      });
    }
    const teams = expectPage(await admins[2].get<{ id: string }[]>('/teams?limit=1000')).items;
    expect(teams).toHaveLength(RACES);
    for (const { id } of teams) expectData(await admins[0].delete(`/teams/${id}`));
  });

  it('decide alone: a cloud has one tag key', RACE, async () => {
    for (let round = 0; round < RACES; round += 1) {
      const create = (key: string) => (api: Api) =>
        api.post<{ id: string }>('/teams', {
          name: `Tagged by ${key}`,
          ownership: [{ source: 'cloud', cloud: 'aws', tag: { key, value: 'shop' } }],
        });
      expect({ round, ...(await race(round, create('team'), create('owner'))) }).toEqual({
        round,
        ...ONE_WINNER,
      });
      for (const { id } of expectPage(await admins[0].get<{ id: string }[]>('/teams')).items)
        expectData(await admins[1].delete(`/teams/${id}`));
    }
  });

  it('decide alone: a name belongs to one metric', RACE, async () => {
    for (let round = 0; round < RACES; round += 1) {
      const create = (api: Api) =>
        api.post('/metrics', {
          name: `Named ${round}`,
          unit: 'order',
          aggregation: 'total',
          frequency: 'monthly',
          scope: { type: 'organisation' },
        });
      expect({ round, ...(await race(round, create, create)) }).toEqual({ round, ...ONE_WINNER });
    }
  });

  it('decide alone: one of the last two admin keys stays', RACE, async () => {
    const { secret: first } = await newOrganisation(cluster);
    let survivor = first;
    for (let round = 0; round < RACES; round += 1) {
      const other = expectData(
        await on(survivor)[0].post<{ id: string; secret: string }>('/keys', {
          name: 'Other',
          permission: 'admin',
        }),
      );
      const keys = expectPage(
        await on(survivor)[1].get<{ id: string; revoked_at: string | null }[]>('/keys?limit=1000'),
      ).items.filter(({ revoked_at }) => revoked_at === null);
      expect(keys).toHaveLength(2);
      const mine = keys.find(({ id }) => id !== other.id)?.id ?? '';
      // Each revokes itself, so that the winner of the race does not decide about the other's right.
      const answers = await Promise.all([
        on(survivor)[round % 3]?.delete(`/keys/${mine}`),
        on(other.secret)[(round + 1) % 3]?.delete(`/keys/${other.id}`),
      ]);
      expect(answers.map((answer) => answer?.status).sort()).toEqual([200, 409]);
      survivor = answers[0]?.status === 409 ? survivor : other.secret;
      for (const api of on(survivor)) expectData(await api.get('/organisation'));
    }
  });

  it('decide alone: a new scope is costed once', RACE, async () => {
    for (let round = 0; round < RACES; round += 1) {
      const metric = await newMetric(`Costed ${round}`);
      const months = await Promise.all(
        admins.map(async (api) =>
          expectData(await api.get<{ month: string; cost: number }[]>(`/metrics/${metric}/months`)).map(
            ({ month, cost }) => [month, cost],
          ),
        ),
      );
      // The running month has no spend yet, and January has one dollar.
      const told = [
        ['2026-02', null],
        ['2026-01', 1],
        ...MONTHS.slice(2)
          .reverse()
          .map((month) => [month, 31]),
      ];
      expect(months).toEqual([told, told, told]);
    }
  });

  it('are ready, and report that they reach the warehouse and Temporal', async () => {
    for (const { url } of cluster.apis) expect((await fetch(`${url}/readyz`)).status).toBe(200);
    for (const admin of admins)
      expect(expectData(await admin.get('/health'))).toMatchObject({ warehouse: 'ok', temporal: 'ok' });
  });

  it('reject a key as soon as one of them revokes it', async () => {
    for (let round = 0; round < 5; round += 1) {
      const key = expectData(
        await admins[0].post<{ id: string; secret: string }>('/keys', { name: 'k', permission: 'read' }),
      );
      for (const api of on(key.secret)) expectData(await api.get('/organisation'));
      expectData(await (admins[round % 3] ?? admins[0]).delete(`/keys/${key.id}`));
      for (const api of on(key.secret)) expectError(await api.get('/organisation'), 401, /revoked/);
    }
  });

  it('reject the keys of an organisation as soon as one of them deletes it, and all of them know who did', async () => {
    const { id, secret: key } = await newOrganisation(cluster, { name: 'Leaving the cluster' });
    for (const api of on(key)) expectData(await api.get('/organisation'));
    const second = { DATA_DIR: cluster.dataDir, COST_ANALYTICS_URL: cluster.apis[1]?.url ?? '' };
    expect(await runCommand(['org', 'delete', '--id', id, '--yes'], second)).toMatchObject({ code: 0 });
    for (const api of on(key)) expectError(await api.get('/organisation'), 401, /is not valid/);
    const third = { ...second, COST_ANALYTICS_URL: cluster.apis[2]?.url ?? '' };
    const { stdout } = await runCommand(['org', 'deletions'], third);
    expect(stdout).toContain(`${id}  by operator`);
    expect(stdout).toContain('complete at');
    for (const admin of admins) expectData(await admin.get('/organisation'));
  });

  it('share one quota', async () => {
    const starter = on((await newOrganisation(cluster, { tier: 'starter' })).secret);
    const remaining: (string | null)[] = [];
    for (const api of [...starter, starter[0]]) {
      const answer = await api.get('/organisation');
      remaining.push(answer.headers.get('ratelimit-remaining'));
    }
    expect(remaining).toEqual(['99', '98', '97', '96']);
    // If they are called at once, the limit holds, except for calls under way.
    const statuses: number[] = [];
    const callers = [...starter, starter[0]].map(async (api) => {
      for (let call = 0; call < 28; call += 1) statuses.push((await api.get('/organisation')).status);
    });
    await Promise.all(callers);
    const admitted = statuses.filter((status) => status === 200).length;
    expect(admitted).toBeGreaterThanOrEqual(96);
    expect(admitted).toBeLessThanOrEqual(111);
    for (const api of starter) expectError(await api.get('/organisation'), 429, /limit/);
  });

  it('apply a change of plan at once, and store all values sent to any', async () => {
    const { id, secret: key } = await newOrganisation(cluster, { tier: 'starter' });
    const nodes = on(key);
    expectError(await nodes[2].get('/metrics'), 403, /plan/);
    const set = { DATA_DIR: cluster.dataDir, COST_ANALYTICS_URL: cluster.apis[1]?.url ?? '' };
    const raised = await runCommand(['org', 'set', '--id', id, '--tier', 'enterprise'], set);
    expect(raised).toMatchObject({ code: 0 });
    const metric = await newMetric('Orders', nodes[0]);
    const path = `/metrics/${metric}/values`;
    const writes = Array.from({ length: 20 }, (_, index) => {
      const period = `2026-01-${String(index + 1).padStart(2, '0')}`;
      return (nodes[index % 3] ?? nodes[0]).post(path, { values: [{ period, value: index }] });
    });
    for (const answer of await Promise.all(writes)) expectData(answer);
    // Two write the same day. One number becomes the value, and the other its previous value.
    const race = await Promise.all(
      [nodes[0], nodes[1]].map((api, index) =>
        api.post(path, { values: [{ period: '2026-01-31', value: 100 + index }] }),
      ),
    );
    for (const answer of race) expectData(answer);
    const read = async (api: Api) => expectPage(await api.get<{ value: number }[]>(path)).items;
    const values = await read(nodes[0]);
    expect(values).toHaveLength(21);
    for (const api of nodes) expect(await read(api)).toEqual(values);
    const history = expectPage(
      await nodes[2].get<{ value: number; previous: number | null }[]>(`/metrics/${metric}/history?limit=2`),
    ).items;
    expect(history.map(({ value }) => value).sort()).toEqual([100, 101]);
    expect(history.map(({ previous }) => previous)).toEqual([history[1]?.value, null]);
    expect(values.at(-1)?.value).toBe(history[0]?.value);
  });

  it('run ingests in workers only, and keep one waiting until there is a worker', async () => {
    const loaded = '"msg":"loaded"';
    expect(cluster.workers.map((worker) => worker.logs()).join('')).toContain(loaded);
    expect(cluster.apis.map((api) => api.logs()).join('')).not.toContain(loaded);
    for (const worker of cluster.workers) expect(await worker.stop()).toBe(0);
    const path = `/cost-sources/${source}`;
    expectData(await admins[0].post(`${path}/ingest`, { all: true }));
    expectError(await admins[1].post(`${path}/ingest`, {}), 409, /running/);
    const newest = async () => expectPage(await admins[2].get<Run[]>(`${path}/runs`)).items[0];
    expect(await newest()).toMatchObject({ status: 'running' });
    await Promise.all([...cluster.workers].map((worker) => cluster.replace(worker)));
    await waitFor(async () => ((await newest())?.status === 'completed' ? true : undefined));
    expect(await newest()).toMatchObject({ status: 'completed', cost_total: 12 * 31 + 1 });
  });

  describe('under load', () => {
    faultStories(() => cluster);
  });
});
