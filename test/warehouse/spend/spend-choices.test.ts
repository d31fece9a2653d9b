import { expect, it } from 'vitest';
import type { SpendPick } from '../../../domain/spend/spend-pick.ts';
import { updateMetric, type Metric } from '../../../warehouse/metrics/metrics.ts';
import { pickWarnings } from '../../../warehouse/spend/picks/pick-warnings.ts';
import { COLLECTED_CHOICES } from '../../../warehouse/sources/focus/values/collected-choices.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import {
  ADMIN,
  loadText,
  money,
  newMetric,
  newOrganisation,
  newSource,
} from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';
import { monthCosts, spendMetric } from '../../model/picked-story.ts';

const tag = (key: string, value: string, cloud = 'aws'): SpendPick => ({
  source: 'cloud',
  cloud,
  tag: { key, value },
});
const service = (value: string, account = '1111'): SpendPick => ({
  source: 'cloud',
  cloud: 'aws',
  account,
  service: value,
});
const resourceGroup = (value: string, account = '1111'): SpendPick => ({
  source: 'cloud',
  cloud: 'aws',
  account,
  resource_group: value,
});

const at = (day: string): Date => new Date(`${day}T06:00:00Z`);

describeOnBothEngines('tag keys and splits', (open) => {
  const test = withOpened(open);

  const newOrg = async (): Promise<string> => (await newOrganisation(test.warehouse)).id;
  const pick = (orgId: string, spend: SpendPick[], name = 'Orders', day = '2026-01-10'): Promise<Metric> =>
    newMetric(test.warehouse, orgId, { name, scope: { type: 'spend', spend } }, at(day));
  const change = (orgId: string, metric: Metric, spend: SpendPick[] | 'delete', day: string) =>
    updateMetric(
      test.warehouse,
      orgId,
      metric.id,
      spend === 'delete' ? 'delete' : { scope: { type: 'spend', spend } },
      { actor: ADMIN, now: at(day) },
    );
  /** Returns the choices that a load on a day collects. */
  const choices = async (orgId: string, today = '2026-02-07') => {
    const rows = await test.warehouse.query<
      Record<'kind' | 'cloud' | 'account' | 'choice' | 'first_day', string>
    >(`FROM (${COLLECTED_CHOICES}) ORDER BY ALL`, { org: orgId, today });
    return rows.map((row) => Object.values(row).join(' '));
  };

  it('are set by the first pick, one key per cloud and one split per account', async () => {
    const orgId = await newOrg();
    await pick(orgId, [tag('team', 'search'), tag('env', 'prod', 'azure'), service('Amazon S3')]);
    await pick(
      orgId,
      [tag('team', 'web'), service('Amazon EC2'), resourceGroup('rg', '2222')],
      'Users',
      '2026-01-20',
    );
    expect(await choices(orgId)).toEqual([
      'split aws 1111 service 2026-01-10',
      'split aws 2222 resource_group 2026-01-20',
      'tag aws  team 2026-01-10',
      'tag azure  env 2026-01-10',
    ]);
  });

  it('reject another key or split while one is in use, with its users, and store nothing', async () => {
    const orgId = await newOrg();
    await pick(orgId, [tag('team', 'search'), service('Amazon S3')], 'Orders');
    await expect(pick(orgId, [tag('env', 'prod')], 'Users')).rejects.toThrow(
      'scope.spend: tag key "env" of aws cannot be picked: tag key "team" of aws is in use, by metric "Orders"',
    );
    await expect(pick(orgId, [resourceGroup('rg')], 'Users')).rejects.toThrow(
      /split by resource group of account "1111" of aws cannot be picked: split by service .* by metric "Orders"/,
    );
    await expect(pick(orgId, [tag('env', 'prod'), tag('team', 'search')], 'Users')).rejects.toThrow(
      /scope.spend\[1\]: expected one tag key per cloud/,
    );
    expect(await choices(orgId)).toHaveLength(2);
    const [count] = await test.warehouse.query<{ n: string }>(
      'SELECT count(*) AS n FROM metrics WHERE org_id = $org',
      { org: orgId },
    );
    expect(count?.n).toBe('1');
  });

  it('are kept for thirty days after their last use, and begin again later', async () => {
    const orgId = await newOrg();
    const host: SpendPick = { source: 'host', host: 'db-1' };
    const orders = await pick(orgId, [tag('team', 'search')]);
    const users = await pick(orgId, [tag('team', 'web')], 'Users');
    await change(orgId, orders, 'delete', '2026-01-12');
    await change(orgId, users, [host], '2026-01-13');
    expect(await choices(orgId, '2026-02-12')).toEqual(['tag aws  team 2026-01-10']);
    expect(await choices(orgId, '2026-02-13')).toEqual([]);
    await change(orgId, users, [tag('team', 'web')], '2026-02-12'); // the thirtieth day
    expect(await choices(orgId, '2027-01-01')).toEqual(['tag aws  team 2026-01-10']);
    await change(orgId, users, [host], '2026-02-13');
    await change(orgId, users, [tag('team', 'web')], '2026-03-16'); // the thirty-first
    expect(await choices(orgId, '2026-03-16')).toEqual(['tag aws  team 2026-03-16']);
  });

  it('can be replaced immediately if nothing uses them', async () => {
    const orgId = await newOrg();
    const orders = await pick(orgId, [tag('team', 'search')]);
    await change(orgId, orders, 'delete', '2026-01-12');
    const users = await pick(orgId, [tag('env', 'prod')], 'Users', '2026-01-14');
    expect(await choices(orgId, '2026-01-14')).toEqual(['tag aws  env 2026-01-14']);
    // The first key begins again, even if it comes back a day later.
    await change(orgId, users, [tag('team', 'search')], '2026-01-15');
    expect(await choices(orgId, '2026-01-15')).toEqual(['tag aws  team 2026-01-15']);
  });

  it('keep the spend of a pick that is removed and restored within thirty days', async () => {
    const january = async (away: string, loaded: string, back: string) => {
      const orgId = await newOrg();
      const target = { orgId, sourceId: (await newSource(test.warehouse, orgId)).id };
      const metric = await pick(orgId, [tag('team', 'search')], 'Orders', '2026-01-01');
      await change(orgId, metric, [service('Amazon S3', '2222')], away);
      const tagged = { Tags: '{"team":"search"}' };
      await loadText(
        test,
        target,
        focusCsv([dayLine('2026-01-05', '10', tagged), dayLine('2026-01-31', '7', tagged)]),
        { now: at(loaded) },
      );
      const again = await change(orgId, metric, [tag('team', 'search')], back);
      if (again === null) throw new Error('no metric');
      const [month] = await monthCosts(test.warehouse, orgId, again, '2026-01');
      return [month?.cost, month?.uncollected];
    };
    expect(await january('2026-01-10', '2026-02-02', '2026-02-09')).toEqual([money('17'), []]);
    // Loaded and restored after the key was no longer kept: the missing spend is null, not 0.
    expect(await january('2026-01-02', '2026-02-02', '2026-02-03')).toEqual([
      null,
      ['tag key "team" of aws is collected from 2026-02-03 on'],
    ]);
  });

  it('can be changed by their only user', async () => {
    const orgId = await newOrg();
    const orders = await pick(orgId, [tag('team', 'search')]);
    await change(orgId, orders, [tag('env', 'prod')], '2026-01-15');
    expect(await choices(orgId)).toEqual(['tag aws  env 2026-01-15']);
  });

  it('are set by one of two metrics that pick different keys at once', async () => {
    const orgId = await newOrg();
    const outcomes = await Promise.allSettled([
      pick(orgId, [tag('team', 'search')], 'A'),
      pick(orgId, [tag('env', 'prod')], 'B'),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await choices(orgId)).toHaveLength(1);
  });

  it('are separate for each organisation', async () => {
    const [mine, theirs] = [await newOrg(), await newOrg()];
    await pick(mine, [tag('team', 'search')]);
    await pick(theirs, [tag('env', 'prod')]);
    expect(await choices(theirs)).toEqual(['tag aws  env 2026-01-10']);
  });

  it('are collected from their first use, so that earlier months stay partial', async () => {
    const orgId = await newOrg();
    const source = await newSource(test.warehouse, orgId);
    const lines = (months: string[]): string =>
      focusCsv(
        months.flatMap((month) => [
          dayLine(`${month}-05`, '10', { Tags: '{"team":"search"}' }),
          dayLine(`${month}-20`, '7', { Tags: '{"team":"search"}' }),
          dayLine(`${month}-28`, '100', { Tags: '{"team":"web"}' }),
        ]),
      );
    const target = { orgId, sourceId: source.id };
    await loadText(test, target, lines(['2025-11', '2025-12']), { now: at('2026-01-01') });
    const metric = await pick(orgId, [tag('team', 'search')], 'Orders', '2025-12-10');
    const all = ['2025-11', '2025-12', '2026-01'];
    await loadText(test, target, lines(all), { now: at('2026-02-07') });
    const [january, december, november] = await monthCosts(test.warehouse, orgId, metric, '2026-01');
    expect(january).toMatchObject({ cost: money('17'), uncollected: [] });
    // In December only the 20th is after the first use.
    const since = ['tag key "team" of aws is collected from 2025-12-10 on'];
    expect(december).toMatchObject({ cost: money('7'), uncollected: since });
    // Nothing of November was ever collected, so its cost is unknown, not 0.
    expect(november).toMatchObject({ cost: null, uncollected: since });
    // The account has its full history.
    const account = await spendMetric(test.warehouse, orgId, [
      { source: 'cloud', cloud: 'aws', account: '1111' },
    ]);
    const whole = await monthCosts(test.warehouse, orgId, account, '2026-01');
    expect(whole.slice(0, 3).map(({ cost, uncollected }) => [cost, uncollected])).toEqual([
      [money('117'), []],
      [money('117'), []],
      [money('117'), []],
    ]);
  });

  it('of Azure are one in any case, and a pick finds spend in any spelling', async () => {
    const orgId = await newOrg();
    const { id: sourceId } = await newSource(test.warehouse, orgId);
    const orders = await pick(orgId, [tag('team', 'R\u00e9union', 'azure')], 'Orders');
    const users = await pick(orgId, [tag('team', 'R\u00e9union', 'azure')], 'Users', '2026-01-20');
    await expect(pick(orgId, [tag('Teams', 'x', 'azure')], 'Others')).rejects.toThrow(
      'tag key "teams" of azure cannot be picked: tag key "team" of azure is in use, by metric "Orders", metric "Users"',
    );
    expect(await choices(orgId)).toEqual(['tag azure  team 2026-01-10']);
    const line = (cost: string, tags: object) =>
      dayLine('2026-01-28', cost, { ProviderName: 'Microsoft', Tags: JSON.stringify(tags) });
    const lines = [
      line('30', { TEAM: 'Re\u0301union' }),
      line('12', { team: ' R\u00e9union' }),
      line('5', { team: 'Reunion' }),
      line('3', { teams: 'R\u00e9union' }),
    ];
    await loadText(test, { orgId, sourceId }, focusCsv(lines));
    // 30 + 12
    for (const metric of [orders, users]) {
      const [january] = await monthCosts(test.warehouse, orgId, metric, '2026-01');
      expect(january).toMatchObject({ cost: money('42') });
    }
  });

  it('have warnings when their collection has only begun, like picks that were never seen', async () => {
    const orgId = await newOrg();
    const source = await newSource(test.warehouse, orgId);
    await loadText(test, { orgId, sourceId: source.id }, focusCsv([dayLine('2026-01-05', '10')]), {
      now: at('2026-02-07'),
    });
    const picks: SpendPick[] = [
      { source: 'cloud', cloud: 'aws', account: '1111' },
      { source: 'cloud', cloud: 'aws', account: '9999' },
      tag('team', 'search'),
      { source: 'kubernetes', cluster: 'prod', namespace: 'shop', workload: 'deployment/api' },
    ];
    await pick(orgId, picks, 'Orders', '2026-02-07');
    expect(await pickWarnings(test.warehouse, orgId, picks, at('2026-02-07'))).toEqual([
      'spend of cloud aws / 9999 has never been seen',
      'spend of kubernetes prod / shop / deployment/api has never been seen',
      'tag key "team" of aws is collected from 2026-02-07 on; earlier months are partial and cannot be locked',
    ]);
  });
});
