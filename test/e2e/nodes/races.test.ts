import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RACES } from '../../support/effort.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { hasCluster, startCluster, type Cluster } from '../../support/nodes/cluster.ts';
import {
  as,
  newIngestedSource,
  newOrganisation,
  type Answer,
  type Api,
} from '../../support/service/api-client.ts';
import { expectData, expectPage } from '../../support/service/envelope.ts';
import { newDataDir, removeDataDir } from '../../support/service/service-process.ts';

/** Two nodes decide the same at once. Exactly one of them may win, whoever comes first. */
describe.skipIf(!hasCluster)('races of two nodes', () => {
  let cluster: Cluster;
  let admins: [Api, Api, Api];
  let secret: string;

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
    await newIngestedSource(admins[0], { name: 'Bill', kind: 'focus', location });
  });
  afterAll(async () => {
    expect(await cluster.stop()).toBe(0);
    await removeDataDir(cluster.dataDir);
  });

  /** Runs both at once, on two nodes that change from round to round, and returns how many won and how many were refused. */
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

  const newMetric = async (name: string): Promise<string> =>
    expectData(
      await admins[0].post<{ id: string }>('/metrics', {
        name,
        unit: 'order',
        aggregation: 'total',
        frequency: 'daily',
        scope: { type: 'organisation' },
      }),
    ).id;

  it('a month is locked into one first version', async () => {
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

  it('a pick belongs to one team', async () => {
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

  it('a cloud has one tag key', async () => {
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

  it('a name belongs to one metric', async () => {
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

  it('one of the last two admin keys stays', async () => {
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

  it('a new scope is costed once', async () => {
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
});
