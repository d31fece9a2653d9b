import { expect, it } from 'vitest';
import type { Day, Month } from '../../../../domain/shared/calendar.ts';
import { describeOnBothEngines } from '../../../support/warehouse/engines.ts';
import type { SpendRow } from '../../../support/warehouse/published-spend.ts';
import { withOpened } from '../../../support/with-opened.ts';
import { asset, newAssetStory, workload } from './asset-story.ts';

const DAY = '2026-01-30';
const NEXT_DAY = '2026-01-31';

/** Assets whose id is on no bill line. */
describeOnBothEngines('an asset without a bill line of its own', (open, onDuckDb) => {
  const test = withOpened(open);

  const newStory = async () => {
    const story = await newAssetStory(test);
    return {
      ...story,
      billed: (lines: SpendRow[], month?: Month) => story.publish(story.bill, { cloud_spend: lines }, month),
      reported: (tables: { kubernetes_spend?: SpendRow[]; cluster_assets?: SpendRow[] }, month?: Month) =>
        story.publish(story.clusters, tables, month),
    };
  };

  const line = (day: Day, resource: string | null, cost: string, account = '1111'): SpendRow => ({
    day,
    cloud: account.startsWith('proj-') ? 'gcp' : 'aws',
    account,
    resource_id: resource,
    cost,
  });
  const unmatched = (name: string, cost: string, days: string): string =>
    `cluster "prod": machine "${name}" matches no line of a connected bill ${days}: its cost of ${cost} counts beside the bills; ` +
    'set options.on_bill to "always" if a bill includes it, or to "never"';

  it('follows its cluster if it has no id, like a management fee', async () => {
    const story = await newStory();
    // A node of 24 and the fee of 3: the bill is 27. Counted again, the fee would make 30.
    await story.billed([line(DAY, 'i-node1', '24'), line(DAY, null, '3')]);
    await story.reported({
      kubernetes_spend: [workload(DAY, '20')],
      cluster_assets: [asset(DAY, 'node', 'i-node1', '24'), asset(DAY, 'management', null, '3')],
    });
    expect(await story.costs()).toEqual({ total: 27, cloud: 3, kubernetes: 24, hosts: 0 });
    const note =
      'cluster "prod": assets without a bill line of their own follow the cluster, which is on a bill ' +
      'on 1 day, 2026-01-30: their cost of 3 is not counted again';
    expect(await story.notes(story.clusters)).toEqual([note]);
    expect(await story.notes(story.bill)).toEqual([note]);
    expect(await story.notes(story.hosts)).toEqual([]);
    expect(await story.notes(story.bill, ['2025-12'])).toEqual([]);
    expect(await story.reconciled()).toMatchObject([
      { name: 'prod', followed_days: 1, borrowed_days: 0, ambiguous_days: 0, notes: [note] },
    ]);
  });

  onDuckDb(() => {
    it('matches a line by the name that bills give to a load balancer or cluster', async () => {
      const story = await newStory();
      const balancer = 'arn:aws:elasticloadbalancing:eu-west-1:1111:loadbalancer';
      await story.billed([
        line(DAY, 'i-node1', '24'),
        line(DAY, `${balancer}/app/k8s-shop-api/50dc6c495c0c9188`, '1'),
        line(DAY, `${balancer}/net/k8s-shop-web/a1b2c3d4e5f60718`, '2'),
        line(DAY, `${balancer}/a1b2c3d4e5f60718293a4b5c6d7e8f90`, '1'),
        line(DAY, 'arn:aws:eks:eu-west-1:1111:cluster/prod', '3'),
      ]);
      await story.reported({
        cluster_assets: [
          asset(DAY, 'node', 'i-node1', '24'),
          asset(DAY, 'load_balancer', 'k8s-shop-api', '1.5'),
          asset(DAY, 'load_balancer', 'k8s-shop-web-a1b2c3d4e5f60718.elb.eu-west-1.amazonaws.com', '2.5'),
          asset(
            DAY,
            'load_balancer',
            'a1b2c3d4e5f60718293a4b5c6d7e8f90-1234567890.eu-west-1.elb.amazonaws.com',
            '0.5',
          ),
          asset(DAY, 'management', null, '2.4'),
        ],
      });
      expect(await story.costs()).toEqual({ total: 31, cloud: 0, kubernetes: 31, hosts: 0 });
      expect(await story.notes(story.clusters)).toEqual([]);
    });

    it('counts on its own if no node or disk of its cluster is on a bill', async () => {
      const story = await newStory();
      await story.billed([line(DAY, null, '5')]);
      await story.reported({
        cluster_assets: [asset(DAY, 'node', 'cellar-1', '7'), asset(DAY, 'load_balancer', null, '2')],
      });
      expect(await story.costs()).toEqual({ total: 14, cloud: 5, kubernetes: 9, hosts: 0 });
      expect(await story.notes(story.clusters)).toEqual([
        unmatched('cellar-1', '7', 'on 1 day, 2026-01-30'),
        'cluster "prod": assets that bills name differently follow the cluster, whose nodes and disks are on no bill ' +
          'on 1 day, 2026-01-30: their cost of 2 counts beside the bills',
      ]);
    });

    it('does not follow a hybrid cluster if it is a node or disk with an id', async () => {
      const story = await newStory();
      await story.billed([line(DAY, 'i-node1', '24')]);
      await story.reported({
        cluster_assets: [asset(DAY, 'node', 'i-node1', '20'), asset(DAY, 'node', 'cellar-1', '7')],
      });
      expect(await story.costs()).toEqual({ total: 31, cloud: 0, kubernetes: 31, hosts: 0 }); // 24 + 7
      expect(await story.notes(story.clusters)).toEqual([unmatched('cellar-1', '7', 'on 1 day, 2026-01-30')]);
    });
  });

  it('is borrowed from the nearest day with assets if a day has none', async () => {
    const story = await newStory();
    await story.billed([line(DAY, 'i-node1', '24'), line(NEXT_DAY, 'i-node1', '24')]);
    await story.reported({
      kubernetes_spend: [workload(DAY, '20'), workload(NEXT_DAY, '20')],
      cluster_assets: [asset(DAY, 'node', 'i-node1', '24')],
    });
    // The node costs 24 on the second day too, without the allocations of 20.
    expect(await story.costs({ start: NEXT_DAY, end: NEXT_DAY })).toEqual({
      total: 24,
      cloud: 0,
      kubernetes: 24,
      hosts: 0,
    });
    const note =
      'cluster "prod": it reports allocations but no assets on 1 day, 2026-01-31. By its nearest known assets, ' +
      'of 2026-01-30, it is on a bill: only their bill lines count, not its allocations of 20';
    expect(await story.notes(story.clusters)).toEqual([note]);
    expect(await story.reconciled()).toMatchObject([{ name: 'prod', borrowed_days: 1, notes: [note] }]);
  });

  it('is borrowed from another month, and its change recounts the borrowing month', async () => {
    const story = await newStory();
    const december = { start: '2025-12-31', end: '2025-12-31' };
    await story.billed([line('2025-12-31', 'i-node1', '24'), line('2025-12-31', 'i-node2', '1')], '2025-12');
    await story.reported({ kubernetes_spend: [workload('2025-12-31', '20')] }, '2025-12');
    // No assets are known, so the allocations count.
    expect(await story.costs(december)).toMatchObject({ total: 45, cloud: 25, kubernetes: 20 });
    expect(await story.notes(story.clusters, ['2025-12'])).toEqual([]);
    const january = (...ids: string[]) =>
      story.reported({
        kubernetes_spend: [workload('2026-01-01', '20')],
        cluster_assets: ids.map((id) => asset('2026-01-01', 'node', id, '24')),
      });
    await january('i-node1');
    expect(await story.costs(december)).toMatchObject({ total: 25, cloud: 1, kubernetes: 24 });
    await january('i-node1', 'i-node2');
    expect(await story.costs(december)).toMatchObject({ total: 25, cloud: 0, kubernetes: 25 });
    await january('cellar-1');
    expect(await story.costs(december)).toMatchObject({ total: 45, cloud: 25, kubernetes: 20 });
    expect(await story.notes(story.clusters, ['2025-12'])).toEqual([
      unmatched('cellar-1', '20', 'on 1 day, 2025-12-31'),
      'cluster "prod": it reports allocations but no assets on 1 day, 2025-12-31. By its nearest known assets, ' +
        'of 2026-01-01, it is on no bill: its allocations of 20 count',
    ]);
    // If two days are equally near, the earlier one decides.
    await story.reported(
      {
        kubernetes_spend: [workload('2025-12-31', '20')],
        cluster_assets: [asset('2025-12-30', 'node', 'i-node2', '1')],
      },
      '2025-12',
    );
    expect(await story.costs(december)).toMatchObject({ total: 25, cloud: 24, kubernetes: 1 });
  });

  it('decides by the bill of the day that lends it, even if nodes were replaced overnight', async () => {
    const story = await newStory();
    const december = { start: '2025-12-30', end: '2025-12-31' };
    const bill = (january: string) =>
      story.billed([line('2026-01-01', january, '24'), line('2026-01-02', 'i-node3', '24')]);
    await story.billed([line('2025-12-30', 'i-old1', '24'), line('2025-12-31', 'i-old2', '24')], '2025-12');
    await bill('i-node1');
    await story.reported(
      { kubernetes_spend: [workload('2025-12-30', '20'), workload('2025-12-31', '20')] },
      '2025-12',
    );
    await story.reported({
      kubernetes_spend: [workload('2026-01-01', '20'), workload('2026-01-02', '20')],
      cluster_assets: [asset('2026-01-01', 'node', 'i-node1', '24')],
    });
    // Four days of 24. With the ids of 1 January alone, the other three days would cost 44 each.
    expect(await story.costs(december)).toEqual({ total: 48, cloud: 48, kubernetes: 0, hosts: 0 });
    expect(await story.costs()).toEqual({ total: 48, cloud: 24, kubernetes: 24, hosts: 0 });
    const borrowed = (days: string, decided: string) =>
      `cluster "prod": it reports allocations but no assets on ${days}. By its nearest known assets, of 2026-01-01, it is ${decided}`;
    const onBill = (cost: string) => `on a bill: only their bill lines count, not its allocations of ${cost}`;
    expect(await story.notes(story.clusters, ['2025-12'])).toEqual([
      borrowed('2 days from 2025-12-30 to 2025-12-31', onBill('40')),
    ]);
    expect(await story.notes(story.clusters)).toEqual([borrowed('1 day, 2026-01-02', onBill('20'))]);
    // January's bill no longer has the node. December follows, although its own bill and clusters have not changed.
    await bill('i-node2');
    expect(await story.costs(december)).toEqual({ total: 88, cloud: 48, kubernetes: 40, hosts: 0 });
    expect(await story.notes(story.clusters, ['2025-12'])).toEqual([
      unmatched('i-node1', '40', 'on 2 days from 2025-12-30 to 2025-12-31'),
      borrowed('2 days from 2025-12-30 to 2025-12-31', 'on no bill: its allocations of 40 count'),
    ]);
    await bill('i-node1');
    expect(await story.costs(december)).toMatchObject({ total: 48, kubernetes: 0 });
  });

  onDuckDb(() => {
    it('leaves a host its cost on a borrowing day, unless counted allocations include its machine', async () => {
      const story = await newStory();
      const nextDay = { start: NEXT_DAY, end: NEXT_DAY };
      await story.reported({
        kubernetes_spend: [workload(NEXT_DAY, '20')],
        cluster_assets: [asset(DAY, 'node', 'i-node1', '24'), asset(DAY, 'node', 'cellar-1', '7')],
      });
      await story.hosted([
        { day: NEXT_DAY, host: 'db', service: 'postgres', machine_id: 'cellar-1', cost: '9' },
      ]);
      // Without a bill the cluster counts its 20, which includes the host's machine.
      expect(await story.costs(nextDay)).toEqual({ total: 20, cloud: 0, kubernetes: 20, hosts: 0 });
      // On a bill the cluster counts only the line of its other node.
      await story.billed([line(NEXT_DAY, 'i-node1', '24')]);
      expect(await story.costs(nextDay)).toEqual({ total: 33, cloud: 0, kubernetes: 24, hosts: 9 });
    });
  });

  it('does not recount the borrowing month if only its cost changes', async () => {
    const story = await newStory();
    await story.reported({ kubernetes_spend: [workload('2025-12-31', '20')] }, '2025-12');
    const january = (cost: string) =>
      story.reported({ cluster_assets: [asset('2026-01-01', 'node', 'i-node1', cost)] });
    const computations = async () => {
      await story.costs();
      const [row] = await test.warehouse.query<{ made: string }>(
        `SELECT count(*) AS made FROM month_computations WHERE org_id = $org AND month = DATE '2025-12-01'`,
        { org: story.orgId },
      );
      return Number(row?.made);
    };
    await january('24');
    expect(await computations()).toBe(1);
    await january('25');
    expect(await computations()).toBe(1);
  });

  onDuckDb(() => {
    it('matches no machine, with a note, if several projects have its bare name; a known project decides', async () => {
      const story = await newStory();
      await story.billed([
        line(DAY, '//compute.googleapis.com/projects/proj-a/zones/z1/instances/n-1', '10', 'proj-a'),
        line(DAY, 'n-1', '12', 'proj-b'),
      ]);
      await story.hosted([{ day: DAY, host: 'db', service: 'postgres', machine_id: 'n-1', cost: '9' }]);
      // Not the 22 of both projects' machines, because it is unknown which one is the host.
      expect(await story.costs()).toEqual({ total: 31, cloud: 22, kubernetes: 0, hosts: 9 });
      const note =
        'host "db": several machines on the bills have the name "n-1" (gcp/proj-a/z1, gcp/proj-b), so it ' +
        'matches no bill line on 1 day, 2026-01-30, and 9 counts beside the bills; name the machine with its project and zone';
      expect(await story.notes(story.hosts)).toEqual([note]);
      expect(await story.reconciled()).toMatchObject([{ name: 'db', ambiguous_days: 1, notes: [note] }]);
      await story.reported({ cluster_assets: [asset(DAY, 'node', 'n-1', '11', { project: 'proj-b' })] });
      expect(await story.costs()).toMatchObject({ cloud: 10, kubernetes: 12 });
      await story.hosted([
        { day: DAY, host: 'db', service: 'postgres', machine_id: 'gce://proj-a/z1/n-1', cost: '9' },
      ]);
      expect(await story.costs()).toEqual({ total: 22, cloud: 0, kubernetes: 12, hosts: 10 });
    });

    it('matches no machine if two zones of a project have its bare name; a region contains its zones', async () => {
      const story = await newStory();
      const project = '//compute.googleapis.com/projects/proj-a';
      const zones = [
        line(DAY, `${project}/zones/z1/instances/n-1`, '10', 'proj-a'),
        line(DAY, `${project}/zones/z1/disks/n-1`, '2', 'proj-a'),
        line(DAY, `${project}/regions/z/disks/n-1`, '1', 'proj-a'),
      ];
      await story.billed(zones);
      await story.hosted([{ day: DAY, host: 'db', service: 'postgres', machine_id: 'n-1', cost: '9' }]);
      expect(await story.costs()).toEqual({ total: 13, cloud: 0, kubernetes: 0, hosts: 13 });
      await story.billed([...zones, line(DAY, `${project}/zones/z2/instances/n-1`, '12', 'proj-a')]);
      // Not the 25 of both zones' machines.
      expect(await story.costs()).toEqual({ total: 34, cloud: 25, kubernetes: 0, hosts: 9 });
      expect(await story.notes(story.hosts)).toEqual([
        'host "db": several machines on the bills have the name "n-1" (gcp/proj-a, gcp/proj-a/z1, ' +
          'gcp/proj-a/z2), so it matches no bill line on 1 day, 2026-01-30, and 9 counts beside the bills; name the ' +
          'machine with its project and zone',
      ]);
    });

    it('is noted as ambiguous on a borrowing day too', async () => {
      const story = await newStory();
      const lines = (day: Day) => [line(day, 'web-1', '10'), line(day, 'web-1', '12', '2222')];
      await story.billed([...lines(DAY), ...lines(NEXT_DAY)]);
      await story.reported({
        kubernetes_spend: [workload(DAY, '8'), workload(NEXT_DAY, '8')],
        cluster_assets: [asset(DAY, 'node', 'web-1', '9')],
      });
      // The node counts 9 on its own day, the allocations 8 on the next.
      expect(await story.costs()).toEqual({ total: 61, cloud: 44, kubernetes: 17, hosts: 0 });
      const ambiguous = (days: string) =>
        `cluster "prod": several machines on the bills have the name "web-1" (aws/1111, aws/2222), so it matches no bill line ${days}`;
      const hint = '; name the machine with its project and zone';
      expect(await story.notes(story.clusters)).toEqual([
        expect.stringContaining('it is on no bill: its allocations of 8 count'),
        `${ambiguous('on 2 days from 2026-01-30 to 2026-01-31')}, and 9 counts beside the bills${hint}`,
      ]);
      expect(await story.reconciled()).toMatchObject([{ name: 'prod', borrowed_days: 1, ambiguous_days: 2 }]);
    });

    it('matches the lines of all accounts by an id that Amazon generated', async () => {
      const story = await newStory();
      const id = 'i-0a1b2c3d4e5f60718';
      await story.billed([line(DAY, id, '10'), line(DAY, id, '14', '2222')]);
      await story.reported({ cluster_assets: [asset(DAY, 'node', id, '20')] });
      expect(await story.costs()).toEqual({ total: 24, cloud: 0, kubernetes: 24, hosts: 0 });
      expect(await story.notes(story.clusters)).toEqual([]);
    });
  });
});
