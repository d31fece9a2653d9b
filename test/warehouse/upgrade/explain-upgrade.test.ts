import { access, copyFile, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toWire, type DecimalText } from '../../../domain/shared/decimals.ts';
import {
  explainUpgrade,
  schemaVersion,
  type ExplainedUpgrade,
} from '../../../warehouse/upgrade/explain-upgrade.ts';
import { NEWEST_VERSION } from '../../../warehouse/engine/migrations/migrations.ts';
import { THOROUGH } from '../../support/effort.ts';
import { openDuckDb } from '../../support/warehouse/engines.ts';
import { newMetric, newOrganisation, NOW } from '../../support/warehouse/tenant.ts';
import { newMonthStory } from '../months/month-story.ts';
import { account, namespace, newTeamStory } from '../teams/team-story.ts';

/** Returns each change as a line. */
const lines = (explained: ExplainedUpgrade | null): string[] =>
  (explained?.changes ?? []).map(({ of, name, month, before, after }) =>
    [of, name, month, wired(before.cost), wired(after.cost), before.status, after.status].join(' '),
  );

const wired = (cost: DecimalText | null): string => (cost === null ? 'null' : toWire(cost).toString());

describe('the explanation of an upgrade', () => {
  it('counts the locked months, which keep their numbers', async () => {
    const test = await openDuckDb();
    const story = await newMonthStory(test);
    await story.spend({ '2025-12-10': '100', '2025-12-31': '0' });
    await story.values({ '2025-12-10': 10 });
    await story.settle();
    await story.lock('2025-12', NOW, true);
    await story.spend({ '2025-12-10': '120', '2025-12-31': '0' });
    test.warehouse.close();
    // The spend has come after the lock, and nothing has computed it yet.
    const explained = await explainUpgrade(test.settings, NOW);
    expect(lines(explained)).toEqual([`organisation ${story.organisation.name} 2025-12 100 120  `]);
    expect(explained).toMatchObject({ version: NEWEST_VERSION, newest: NEWEST_VERSION, lockedMonths: 1 });
    expect(await schemaVersion(test.settings)).toEqual({ version: NEWEST_VERSION, newest: NEWEST_VERSION });
    // It has written nothing.
    expect(lines(await explainUpgrade(test.settings, NOW))).toEqual(lines(explained));
    await test.close();
  });

  it('refuses a warehouse from before the baseline', async () => {
    const test = await openDuckDb([{ version: 31, name: 'earlier', statements: [] }]);
    test.warehouse.close();
    await expect(explainUpgrade(test.settings, NOW)).rejects.toThrow('the warehouse has version 31');
    await test.close();
  });

  it('lists every number that the counting rules of another version changed', async () => {
    const test = await openDuckDb();
    const { warehouse } = test;
    const story = await newTeamStory(test);
    const [shop] = [
      await story.team('Shop', [namespace('shop')]),
      await story.team('Ads', [account('1111')]),
    ];
    await newMetric(warehouse, story.orgId, { name: 'Orders' });
    await newMetric(warehouse, story.orgId, { name: 'Visits', scope: { type: 'team', team_id: shop } });
    await newMetric(warehouse, story.orgId, {
      name: 'Account',
      scope: { type: 'spend', spend: [account('1111')] },
    });
    // A node of 24 with 20 used, and a fee of 3 that the cluster reports without an id. Together they are the bill of 27.
    const day = '2026-01-31';
    await story.spend('2026-01', {
      cloud_spend: [
        { day, cloud: 'aws', account: '1111', resource_id: 'i-1', cost: '24' },
        { day, cloud: 'aws', account: '1111', cost: '3' },
      ],
      kubernetes_spend: [
        { day, cluster: 'prod', namespace: 'shop', workload: 'deployment/api', is_idle: false, cost: '20' },
      ],
      cluster_assets: [
        { day, cluster: 'prod', kind: 'node', provider_id: 'i-1', cost: '24' },
        { day, cluster: 'prod', kind: 'management', provider_id: null, cost: '3' },
      ],
    });
    const now = new Date('2026-02-03T06:00:00Z'); // January has not settled: its bills are estimates
    await story.settle(now);
    const [computed] = await warehouse.query<{ rules: string }>(
      `SELECT split_part(made_of, '/', 1) AS rules FROM current_computations`,
    );
    // Earlier rules counted the fee beside the bill, for the namespace: 30 in all, and 23 for Shop.
    for (const statement of [
      `UPDATE month_computations SET made_of = '0' || substr(made_of, instr(made_of, '/'))`,
      `UPDATE daily_totals SET cost = 27 WHERE cost = 24`,
      `UPDATE month_spend SET cost = 23 WHERE cost = 20`,
      `UPDATE scope_costs SET cost = 30 WHERE cost = 27`,
      `DELETE FROM asset_decisions`,
    ])
      await warehouse.run(statement);
    warehouse.close();
    const explained = await explainUpgrade(test.settings, now);
    expect(lines(explained)).toEqual([
      'organisation Acme 2026-01 30 27  ',
      'metric Orders 2026-01 30 27 open open',
      'metric Visits 2026-01 23 20 open open',
      'team Shop 2026-01 23 20 estimate estimate',
    ]);
    const why =
      `the counting rules changed from 0 (version ${NEWEST_VERSION}) to ${computed?.rules} (version ${NEWEST_VERSION}); ` +
      'cluster "prod": assets without a bill line of their own follow the cluster, which is on a bill ' +
      'on 1 day, 2026-01-31: their cost of 3 is not counted again';
    const [total, orders, , bill] = (explained?.changes ?? []).map(({ reason }) => reason);
    expect([total, bill]).toEqual([why, why]);
    expect(orders).toMatch(/^cloud billing settles on 2026-02-06, 5 full days after the month; .*/);
    expect(orders?.endsWith(`; ${why}`)).toBe(true);
    await test.close();
  });

  it('gives the reason that a month has settled, if it has become due meanwhile', async () => {
    const test = await openDuckDb();
    const story = await newMonthStory(test);
    await story.spend({ '2026-01-10': '100', '2026-01-31': '0' });
    await story.values({ '2026-01-10': 50 });
    await story.months(1, '2026-01', new Date('2026-02-03T06:00:00Z'));
    test.warehouse.close();
    const explained = await explainUpgrade(test.settings, NOW);
    expect(lines(explained)).toEqual(['metric Orders 2026-01 100 100 open ready_to_lock']);
    expect(explained?.changes[0]?.reason).toBe('the month has settled');
    await test.close();
  });

  it.runIf(THOROUGH)(
    'creates no warehouse file, and does not change the log of a killed service',
    async () => {
      const test = await openDuckDb();
      test.warehouse.close();
      const nowhere = join(test.directory, 'empty', 'warehouse.duckdb');
      const settings = { ...test.settings, location: nowhere, spillDirectory: join(test.directory, 'none') };
      expect(await explainUpgrade(settings, NOW)).toEqual({
        version: 0,
        newest: NEWEST_VERSION,
        changes: [],
        lockedMonths: 0,
      });
      await expect(access(dirname(nowhere))).rejects.toThrow('ENOENT');
      await expect(access(settings.spillDirectory)).rejects.toThrow('ENOENT');

      // A copy of both files, taken while the service runs, is the state after a SIGKILL.
      const running = await openDuckDb();
      await newOrganisation(running.warehouse);
      for (const end of ['', '.wal'])
        await copyFile(`${running.settings.location}${end}`, `${test.settings.location}${end}`);
      const files = async () =>
        Promise.all(['', '.wal'].map((end) => readFile(`${test.settings.location}${end}`)));
      const before = await files();
      expect(before[1]?.length).toBeGreaterThan(0);
      expect(await explainUpgrade(test.settings, NOW)).toMatchObject({
        version: NEWEST_VERSION,
        changes: [],
      });
      expect(await files()).toEqual(before);
      await running.close();
      await test.close();
    },
  );
});
