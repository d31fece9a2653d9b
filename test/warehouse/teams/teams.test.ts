import { beforeAll, describe, expect, it } from 'vitest';
import { breakdownOf } from '../../support/warehouse/breakdown-of.ts';
import { pickWarnings } from '../../../warehouse/spend/picks/pick-warnings.ts';
import type { SpendPick } from '../../../domain/spend/spend-pick.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { money, newMetric, NOW } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';
import { account, inNumbers, namespace, newTeamStory, type TeamStory } from './team-story.ts';

const tag = (value: string, key = 'team'): SpendPick => ({
  source: 'cloud',
  cloud: 'aws',
  tag: { key, value },
});
const service = (name: string): SpendPick => ({
  source: 'cloud',
  cloud: 'aws',
  account: '1111',
  service: name,
});

/**
 * January 2026 by hand (USD), in all 1 + 2 + 4 + 8 + 16 + 32 + 64 + 128 + 256 + 512 = 1023, each row a power of two:
 *
 *   account 1111: Amazon S3 of team web 1, Amazon S3 untagged 2, Amazon EC2 of team web 4, Amazon EC2 untagged 8
 *   account 2222: 16
 *   cluster prod: shop/api 32, shop/worker 64, idle 128
 *   host db-1: postgres 256; AI tool 512, half by github.com/acme/web, half without a repository
 */
const DAY = '2026-01-31';
const line = (split_value: string, tag_value: string | null, cost: string) => ({
  day: DAY,
  cloud: 'aws',
  account: '1111',
  split_kind: 'service',
  split_value,
  cost,
  ...(tag_value === null ? {} : { tag_key: 'team', tag_value }),
});
const workload = (name: string, cost: string) => ({
  day: DAY,
  cluster: 'prod',
  namespace: 'shop',
  workload: name,
  is_idle: false,
  cost,
});
const januarySpend = (story: TeamStory) =>
  story.spend('2026-01', {
    cloud_spend: [
      line('Amazon S3', 'web', '1'),
      line('Amazon S3', null, '2'),
      line('Amazon EC2', 'web', '4'),
      line('Amazon EC2', null, '8'),
      { day: DAY, cloud: 'aws', account: '2222', cost: '16' },
    ],
    kubernetes_spend: [
      workload('deployment/api', '32'),
      workload('deployment/worker', '64'),
      { day: DAY, cluster: 'prod', is_idle: true, cost: '128' },
    ],
    host_spend: [{ day: DAY, host: 'db-1', service: 'postgres', cost: '256' }],
    ai_tool_spend: [{ day: DAY, tool: 'assistant', kind: 'seat', cost: '512' }],
    ai_usage: [
      { day: DAY, tool: 'assistant', repository: 'github.com/acme/web', usage: '1' },
      { day: DAY, tool: 'assistant', repository: null, usage: '1' },
    ],
  });

describeOnBothEngines('teams', (open) => {
  const test = withOpened(open);

  describe('the owner of spend', () => {
    let story: TeamStory;
    const teams: Record<string, string> = {};
    beforeAll(async () => {
      story = await newTeamStory(test);
      await januarySpend(story);
      const team = async (name: string, ...ownership: SpendPick[]) => {
        teams[name] = await story.team(name, ownership);
      };
      await team('Account', account('1111'), account('2222'));
      await team('Tag', tag('web'));
      await team('Service', service('Amazon S3'));
      await team('Namespace', namespace('shop'));
      await team('Workload', namespace('shop', 'deployment/api'));
      await team('Host', { source: 'host', host: 'db-1' });
      await team('HostService', { source: 'host', host: 'db-1', service: 'postgres' });
      await team('Repository', { source: 'repository', repository: 'github.com/acme/web' });
      await team('Nothing');
    });

    it('has the most specific pick, and spend without an owner is unallocated', async () => {
      const month = await story.month();
      expect(inNumbers(month, teams)).toEqual({
        Account: [24, 0, 24], // EC2 untagged 8 and account 2222
        Tag: [4, 0, 4], // EC2 of team web; Service owns its S3
        Service: [3, 0, 3],
        Namespace: [64, 0, 64],
        Workload: [32, 0, 32],
        Host: [0, 0, 0],
        HostService: [256, 0, 256],
        Repository: [256, 0, 256],
        Nothing: [0, 0, 0],
        unallocated: 384, // idle 128, AI use without a repository 256
      });
      expect(month.bills?.get(teams['Account'] ?? '')?.by_source).toEqual({
        cloud: money('24'),
        kubernetes: money('0'),
        hosts: money('0'),
        ai_tools: money('0'),
      });
      expect(month.bills?.get(teams['HostService'] ?? '')?.by_source.hosts).toBe(money('256'));
      expect(month.bills?.get(teams['Repository'] ?? '')?.by_source.ai_tools).toBe(money('256'));
      expect(month.bills?.get(teams['Workload'] ?? '')?.by_source.kubernetes).toBe(money('32'));
    });

    it('is a key of a breakdown whose rows add up to the total', async () => {
      const breakdown = async (...keys: Parameters<typeof breakdownOf>[2]) => {
        const range = { start: '2026-01-01', end: '2026-01-31', limit: 1000, offset: 0 };
        return breakdownOf(test.warehouse, story.orgId, keys, range, NOW);
      };
      const rows = await breakdown('team');
      expect(rows.map((row) => [row['team_name'], Number(row.total)])).toEqual([
        [null, 384],
        ['HostService', 256],
        ['Repository', 256],
        ['Namespace', 64],
        ['Workload', 32],
        ['Account', 24],
        ['Tag', 4],
        ['Service', 3],
      ]);
      expect(rows.find((row) => row['team_name'] === 'Tag')?.['team']).toBe(teams['Tag']);
      const byAccount = await breakdown('team', 'account');
      expect(byAccount.map((row) => [row['team_name'], row['account'], Number(row.total)])).toContainEqual([
        'Account',
        '2222',
        16,
      ]);
      expect(byAccount.reduce((sum, row) => sum + Number(row.total), 0)).toBe(1023);
    });

    it('is a team or a shared cost; among equally specific picks, the shared cost', async () => {
      await story.sharedCost('Platform', [account('1111'), namespace('shop')], {
        type: 'even',
        team_ids: [teams['Tag'] ?? '', teams['Service'] ?? ''],
      });
      await story.sharedCost('Storage', [service('Amazon S3')], {
        type: 'even',
        team_ids: [teams['Nothing'] ?? ''],
      });
      // Storage gets S3 instead of the team Service. Platform gets the spend that only accounts and namespaces pick: 8 + 64, half
      // for each team. The EC2 of team web and the workload stay with their teams.
      expect(inNumbers(await story.month(), teams)).toEqual({
        Account: [16, 0, 16],
        Tag: [4, 36, 40],
        Service: [0, 36, 36],
        Namespace: [0, 0, 0],
        Workload: [32, 0, 32],
        Host: [0, 0, 0],
        HostService: [256, 0, 256],
        Repository: [256, 0, 256],
        Nothing: [0, 3, 3],
        unallocated: 384,
      });
      const range = { start: '2026-01-01', end: '2026-01-31', limit: 1000, offset: 0 };
      const [none] = await breakdownOf(test.warehouse, story.orgId, ['team'], range, NOW);
      expect([none?.['team'], Number(none?.total)]).toEqual([null, 459]); // 384 + 72 + 3
    });
  });

  describe('ownership', () => {
    it('of the same pick is rejected with the owner; another pick of the same spend is allowed', async () => {
      const story = await newTeamStory(test);
      const shop = await story.team('Shop', [namespace('shop')]);
      await expect(story.team('Search', [account('1'), namespace('shop')])).rejects.toThrow(
        'ownership[1]: Namespace shop of cluster prod is owned by team "Shop" already',
      );
      const search = await story.team('Search', [namespace('shop', 'deployment/api')]);
      await expect(
        story.own(search, [{ namespace: 'shop', cluster: 'prod', source: 'kubernetes' }]),
      ).rejects.toThrow(/ownership\[0\]: .* is owned by team "Shop" already/);
      await story.own(shop, [namespace('shop'), namespace('shop')]); // its own pick is no conflict
      await story.own(shop, []);
      await story.own(search, [namespace('shop')]);
    });

    it('of the same pick is rejected for two shared costs, and allowed for a team and a shared cost', async () => {
      const story = await newTeamStory(test);
      const shop = await story.team('Shop', [namespace('shop')]);
      const split = { type: 'even', team_ids: [shop] } as const;
      await story.sharedCost('Platform', [namespace('shop')], { ...split, team_ids: [shop] });
      await expect(
        story.sharedCost('Other', [namespace('shop')], { ...split, team_ids: [shop] }),
      ).rejects.toThrow(/spend\[0\]: .* is covered by shared cost "Platform" already/);
    });

    it('shares tag keys and splits with metrics, and can replace one that nothing uses any more', async () => {
      const story = await newTeamStory(test);
      const web = await story.team('Web', [tag('web'), service('Amazon S3')]);
      await expect(
        newMetric(test.warehouse, story.orgId, { scope: { type: 'spend', spend: [tag('prod', 'env')] } }),
      ).rejects.toThrow(
        'scope.spend: tag key "env" of aws cannot be picked: tag key "team" of aws is in use, by team "Web"',
      );
      await expect(story.team('Env', [tag('prod', 'env')])).rejects.toThrow(
        /^ownership: tag key "env" of aws cannot be picked/,
      );
      await expect(story.own(web, [tag('a', 'x'), tag('a', 'y')])).rejects.toThrow(
        /^ownership\[1\]: expected one tag key per cloud/,
      );
      await expect(
        story.sharedCost('Env', [tag('prod', 'env')], { type: 'even', team_ids: [web] }),
      ).rejects.toThrow(/^spend: tag key "env" of aws cannot be picked: .* by team "Web"/);
      const shared = await story.sharedCost('Search', [tag('search')], { type: 'even', team_ids: [web] });
      await story.own(web, []);
      await expect(story.team('Env', [tag('prod', 'env')])).rejects.toThrow(/by shared cost "Search"/);
      await story.changeSharedCost(shared, 'delete');
      await story.team('Env', [tag('prod', 'env')]);
    });

    it('has warnings for picks that were never seen or whose collection only begins', async () => {
      const story = await newTeamStory(test);
      await januarySpend(story);
      const owned = [tag('web'), namespace('shp')];
      await story.team('Web', owned);
      expect(await pickWarnings(test.warehouse, story.orgId, owned, NOW)).toEqual([
        'spend of kubernetes prod / shp has never been seen',
        'tag key "team" of aws is collected from 2026-02-07 on; earlier months are partial and cannot be locked',
      ]);
    });
  });

  it('cannot be deleted while a shared cost or a metric refers to them', async () => {
    const story = await newTeamStory(test);
    const shop = await story.team('Shop');
    const search = await story.team('Search');
    await newMetric(test.warehouse, story.orgId, { name: 'Users', scope: { type: 'team', team_id: shop } });
    const shared = await story.sharedCost('Platform', [account('1111')], {
      type: 'fixed',
      shares: [
        { team_id: shop, percent: 60 },
        { team_id: search, percent: 40 },
      ],
    });
    await expect(story.deleteTeam(shop)).rejects.toThrow(
      'the team cannot be deleted: it is referred to by shared cost "Platform", metric "Users"; change them first',
    );
    await expect(story.deleteTeam(search)).rejects.toThrow(/referred to by shared cost "Platform";/);
    await story.changeSharedCost(shared, 'delete');
    expect((await story.deleteTeam(search))?.name).toBe('Search');
    expect(await story.deleteTeam(search)).toBeNull();
  });

  it('of another organisation do not exist', async () => {
    const [mine, theirs] = [await newTeamStory(test), await newTeamStory(test)];
    const shop = await theirs.team('Shop', [namespace('shop')]);
    await mine.team('Mine', [namespace('shop')]);
    expect(await mine.own(shop, [])).toBeNull();
    await expect(
      mine.sharedCost('Platform', [account('1111')], { type: 'even', team_ids: [shop] }),
    ).rejects.toThrow(/^split.team_ids\[0\]: expected a team of this organisation, got "team_/);
    await expect(
      newMetric(test.warehouse, mine.orgId, { scope: { type: 'team', team_id: shop } }),
    ).rejects.toThrow(/^scope.team_id: expected a team of this organisation/);
  });
});
