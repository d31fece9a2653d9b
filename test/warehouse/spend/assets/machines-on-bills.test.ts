import { describe, expect, it } from 'vitest';
import { addDays, type Day } from '../../../../domain/shared/calendar.ts';
import { updateCostSource, type CostSource } from '../../../../warehouse/sources/cost-sources.ts';
import { storedDoubts } from '../../../../warehouse/sources/doubts.ts';
import { computeSpend } from '../../../../warehouse/spend/compute-spend.ts';
import { dayLine, focusCsv, type FocusLine } from '../../../support/exports/focus-export.ts';
import { textLike } from '../../../support/service/matchers.ts';
import { describeOnBothEngines } from '../../../support/warehouse/engines.ts';
import type { SpendRow } from '../../../support/warehouse/published-spend.ts';
import { BY_ADMIN, loadText, NOW } from '../../../support/warehouse/tenant.ts';
import { withOpened } from '../../../support/with-opened.ts';
import { asset, newAssetStory, workload } from './asset-story.ts';

const DAYS: Day[] = Array.from({ length: 31 }, (_, day) => addDays('2026-01-01', day));
const ID = 'i-0a1b2c3d4e5f60718';

/** Machines of clusters and hosts, and the lines that real bills have of them. */
describeOnBothEngines('a machine', (open, onDuckDb) => {
  const test = withOpened(open);

  /** Returns a story whose bill is in FOCUS. */
  const newStory = async () => {
    const { warehouse } = test;
    const story = await newAssetStory(test);
    const { orgId, bill, clusters } = story;
    return {
      ...story,
      billed: (lines: FocusLine[], now = NOW) =>
        loadText(test, { orgId, sourceId: bill.id }, focusCsv(lines), { now }),
      reported: (assets: SpendRow[], workloads: SpendRow[] = []) =>
        story.publish(clusters, { kubernetes_spend: workloads, cluster_assets: assets }),
      tell: (source: CostSource, onBill: 'auto' | 'always' | 'never') =>
        updateCostSource(warehouse, orgId, source.id, { options: { on_bill: onBill } }, BY_ADMIN),
      /** Returns the amounts of the doubts about January, and their sentences. */
      doubts: async () => {
        await computeSpend(warehouse, orgId, NOW);
        const range = { org: orgId, first: '2026-01-01', last: '2026-01-01' };
        const doubts = await warehouse.session((session) => storedDoubts(session, range, null));
        return [...doubts.values()].flat().map(({ code, sentence, amount, ways_out }) => ({
          code,
          sentence,
          amount: Number(amount),
          ways_out: ways_out.map(({ action }) => action),
        }));
      },
    };
  };

  const host = (day: Day, id: string, cost: string): SpendRow => ({
    day,
    host: 'db-1',
    service: 'postgres',
    machine_id: id,
    cost,
  });
  const compute = (day: Day, id: string, cost: string, more: FocusLine = {}): FocusLine =>
    dayLine(day, cost, { ServiceCategory: 'Compute', ResourceId: id, ...more });

  onDuckDb(() => {
    it('counts once, whatever the category of its line', async () => {
      const story = await newStory();
      const day = '2026-01-10';
      await story.reported([asset(day, 'node', ID, '10')]);
      const categories = ['Compute', 'Other', '', 'Containers', 'compute', 'Compute Engine'];
      for (const ServiceCategory of categories) {
        await story.billed([compute(day, ID, '24', { ServiceCategory })]);
        expect([ServiceCategory, await story.total()]).toEqual([ServiceCategory, 24]); // not 34
        expect(await story.doubts()).toEqual([]);
      }
    });

    const GOOGLE: FocusLine = {
      ProviderName: 'Google Cloud',
      SubAccountId: 'shop-1',
      ResourceName: 'gke-pool-1',
      AvailabilityZone: 'europe-west1-b',
      RegionId: 'europe-west1',
    };
    const GOOGLE_ID = '//compute.googleapis.com/projects/419823/zones/europe-west1-b/instances/5629139418837';
    const GROUP = '/subscriptions/0f1e/resourceGroups/rg/providers';
    const SET = `${GROUP}/Microsoft.Compute/virtualMachineScaleSets/aks-pool-vmss`;
    const AZURE: FocusLine = { ProviderName: 'Microsoft', SubAccountId: '0f1e' };
    const OCID = 'ocid1.instance.oc1.phx.anyhqljrdsqlhbicxkrxepiwynwf';

    describe('costs what its bill says, not its own price beside it, if the bill calls it', () => {
      it.each<[string, clusterSays: string, billed: string, line: FocusLine]>([
        ['by a number, with its name apart', 'gke-pool-1', GOOGLE_ID, GOOGLE],
        [
          'by a number, with its project and zone apart',
          'gce://shop-1/europe-west1-b/gke-pool-1',
          GOOGLE_ID,
          GOOGLE,
        ],
        [
          'by a mere number, in a region',
          'gce://shop-1/europe-west1-b/gke-pool-1',
          '5629139418837',
          { ...GOOGLE, AvailabilityZone: '' },
        ],
        [
          'by a mere number, in a zone in capitals',
          'gce://shop-1/europe-west1-b/gke-pool-1',
          '5629139418837',
          { ...GOOGLE, AvailabilityZone: 'EUROPE-WEST1-B' },
        ],
        [
          'in the view of a billing account',
          'gce://shop-1/europe-west1-b/gke-pool-1',
          GOOGLE_ID,
          { ...GOOGLE, SubAccountId: '01A2B3-4C5D6E-7F8091' },
        ],
        [
          'by an id without its region',
          'cn-hangzhou.i-bp1hd5ztmab9cgc0e1q4',
          'i-bp1hd5ztmab9cgc0e1q4',
          { ProviderName: 'Alibaba Cloud' },
        ],
        ['a droplet', 'digitalocean://448712303', 'do:droplet:448712303', { ProviderName: 'DigitalOcean' }],
        ['a server by its number', 'hcloud://5512345', '5512345', { ProviderName: 'Hetzner' }],
        ['by an OCID', OCID, OCID.toUpperCase(), { ProviderName: 'Oracle' }],
        [
          'a machine of a scale set',
          `azure://${SET}/virtualMachines/3`,
          `${SET.toUpperCase()}/virtualMachines/3`,
          AZURE,
        ],
        ['a scale set, as a whole', `azure://${SET}/virtualMachines/3`, SET, AZURE],
        ['by its path in a resource group', 'vm-1', `${GROUP}/Microsoft.Compute/virtualMachines/VM-1`, AZURE],
      ])('%s', async (_, clusterSays, billed, line) => {
        const story = await newStory();
        await story.billed(DAYS.map((day) => compute(day, billed, '10', line)));
        await story.reported(DAYS.map((day) => asset(day, 'node', clusterSays, '10')));
        expect(await story.total()).toBe(310); // not 620
        expect(await story.doubts()).toEqual([]);
        expect(await story.notes(story.clusters)).toEqual([]);
      });

      it.each<[string, machineId: string, billed: string, line: FocusLine]>([
        [
          'a database by its ARN',
          'orders',
          'arn:aws:rds:eu-west-1:1111:db:orders',
          { ServiceCategory: 'Databases' },
        ],
        [
          'a server of databases',
          'pg-1',
          `${GROUP}/Microsoft.DBforPostgreSQL/flexibleServers/pg-1`,
          { ...AZURE, ServiceCategory: 'Databases' },
        ],
        [
          'a database of Google',
          'pg-1',
          '//cloudsql.googleapis.com/projects/shop-1/instances/pg-1',
          { ProviderName: 'Google Cloud', SubAccountId: 'shop-1', ServiceCategory: '' },
        ],
      ])('%s, which is a host', async (_, machineId, billed, line) => {
        const story = await newStory();
        await story.billed(DAYS.map((day) => compute(day, billed, '5', line)));
        await story.hosted(DAYS.map((day) => host(day, machineId, '7')));
        expect(await story.total()).toBe(155); // not 372
        expect(await story.doubts()).toEqual([]);
      });
    });

    it('matches nothing, and is doubted, if its name is in another zone or twice in an account', async () => {
      const story = await newStory();
      const alibaba = (id: string): FocusLine =>
        compute('2026-01-10', id, '10', { ProviderName: 'Alibaba Cloud', ResourceName: 'worker' });
      await story.billed([alibaba('i-bp1hd5ztmab9cgc0e1q4'), alibaba('i-bp1hd5ztmab9cgc0e1q5')]);
      await story.reported([asset('2026-01-10', 'node', 'worker', '9')]);
      expect(await story.total()).toBe(29);
      expect(await story.doubts()).toMatchObject([{ amount: 9 }]);
      await story.billed([compute('2026-01-10', GOOGLE_ID, '10', GOOGLE)]);
      await story.reported([asset('2026-01-10', 'node', 'gce://shop-1/europe-west1-c/gke-pool-1', '8')]);
      expect(await story.total()).toBe(18);
      expect(await story.doubts()).toMatchObject([{ amount: 8 }]);
    });

    describe('of a cluster', () => {
      it.each<[string, disk: string, diskCost: string, billed: number]>([
        ['a volume by its name', 'pvc-6b2f2b9e-8c3d-4c0c-9f59-0d1e2f3a4b5c', '2', 12],
        ['another volume by its name', 'data-mysql-0', '5', 12],
        [
          'the own disk of a machine of AKS',
          `azure://${GROUP}/Microsoft.Compute/disks/aks-pool-vmss00000b_osdisk`,
          '2',
          13,
        ],
        [
          'the dearer own disk of a machine of AKS',
          `azure://${GROUP}/Microsoft.Compute/disks/aks-pool-vmss00000c_osdisk`,
          '3',
          13,
        ],
      ])('takes %s with it, because the cluster made up the id', async (_, disk, diskCost, billed) => {
        const story = await newStory();
        const azure = disk.startsWith('azure');
        const line = azure ? AZURE : {};
        const [node, onBill] = azure
          ? [`azure://${SET}/virtualMachines/1`, `${SET}/virtualMachines/1`]
          : [ID, ID];
        // A part of the bill is the disk's, under the id of the cloud.
        await story.billed(
          DAYS.flatMap((day) => [
            compute(day, onBill, '10', line),
            compute(day, 'vol-0123456789abcdef0', String(billed - 10), line),
          ]),
        );
        await story.reported(
          DAYS.flatMap((day) => [asset(day, 'node', node, '10'), asset(day, 'disk', disk, diskCost)]),
        );
        expect(await story.total()).toBe(31 * billed); // 372 or 403, without the disk's own price
        expect(await story.doubts()).toEqual([]);
        expect((await story.notes(story.clusters)).map((note) => note.slice(0, 72))).toEqual([
          'cluster "prod": assets without a bill line of their own follow the clust',
        ]);
      });
    });
  });

  onDuckDb(() => {
    it.each<[cloud: string, line: FocusLine, node: string, disk: string, billedDisk: string]>([
      [
        'Azure',
        { ProviderName: 'Microsoft', SubAccountId: '0f1e' },
        'azure:///subscriptions/0f1e/resourceGroups/rg/providers/Microsoft.Compute/virtualMachines/vm-1',
        'azure:///subscriptions/0f1e/resourceGroups/rg/providers/Microsoft.Compute/disks/pvc-6b2f2b9e',
        '/subscriptions/0f1e/resourceGroups/RG/providers/Microsoft.Compute/disks/pvc-6b2f2b9e',
      ],
      [
        'AWS',
        {},
        `aws:///eu-west-1a/${ID}`,
        'aws:///eu-west-1a/vol-0123456789abcdef0',
        'arn:aws:ec2:eu-west-1:1111:volume/vol-0123456789abcdef0',
      ],
    ])('of %s counts once with its disk, whose line has the id of the cloud', async (...of) => {
      const [, line, node, disk, billedDisk] = of;
      const story = await newStory();
      await story.billed(
        DAYS.flatMap((day) => [
          compute(day, node.replace(/^[a-z]+:\/\/(\/eu-west-1a\/)?/, ''), '10', line),
          dayLine(day, '2', { ServiceCategory: 'Storage', ResourceId: billedDisk, ...line }),
        ]),
      );
      await story.reported(
        DAYS.flatMap((day) => [asset(day, 'node', node, '10'), asset(day, 'disk', disk, '3')]),
      );
      expect(await story.total()).toBe(372); // 310 + 62, not 465
      expect(await story.doubts()).toEqual([]);
      expect(await story.notes(story.clusters)).toEqual([]);
    });
  });

  it('counts beside the bill with a doubt if its id matches nothing, until a person tells', async () => {
    const story = await newStory();
    await story.billed(DAYS.map((day) => compute(day, ID, '10')));
    await story.reported(DAYS.map((day) => asset(day, 'node', 'ip-10-0-1-2.ec2.internal', '10')));
    expect(await story.total()).toBe(620);
    const unmatched =
      'machine "ip-10-0-1-2.ec2.internal" matches no line of a connected bill on 31 days from 2026-01-01 to 2026-01-31';
    const note = `cluster "prod": ${unmatched}: its cost of 310 counts beside the bills; set options.on_bill to "always" if a bill includes it, or to "never"`;
    expect(await story.doubts()).toEqual([
      {
        code: 'unmatched_machines',
        sentence: `cost source "Clusters" has costs that a bill may include too: ${unmatched}, so that 310 counts beside the bills`,
        amount: 310,
        ways_out: ['run_source', 'on_bill_always', 'on_bill_never', 'accept'],
      },
    ]);
    expect(await story.notes(story.clusters)).toEqual([note]);
    expect(await story.notes(story.bill)).toEqual([note]);
    expect(await story.reconciled()).toMatchObject([
      {
        name: 'prod',
        outside_bills: '310.000000000000000',
        unmatched: '310.000000000000000',
        unmatched_days: 31,
      },
    ]);
    await story.tell(story.clusters, 'always');
    expect(await story.total()).toBe(310);
    expect(await story.doubts()).toEqual([]);
    expect(await story.notes(story.clusters)).toEqual([
      `cluster "prod": ${unmatched}: its cost of 310 is not counted again, because options.on_bill is "always"`,
    ]);
    await story.tell(story.clusters, 'never');
    expect(await story.total()).toBe(620);
    expect(await story.doubts()).toEqual([]);
    expect(await story.notes(story.clusters)).toEqual([]);
    await story.tell(story.clusters, 'auto');
    expect(await story.doubts()).toMatchObject([{ amount: 310 }]);
    await story.reported(DAYS.map((day) => asset(day, 'node', `aws:///eu-west-1a/${ID}`, '10')));
    expect(await story.total()).toBe(310);
    expect(await story.doubts()).toEqual([]);
  });

  onDuckDb(() => {
    it('is doubted as a host too, with a name as its id, and not without an id', async () => {
      const story = await newStory();
      await story.billed(DAYS.map((day) => compute(day, ID, '5')));
      await story.hosted(DAYS.map((day) => host(day, 'db-1.internal', '4')));
      expect(await story.total()).toBe(279); // 155 + 124
      expect(await story.doubts()).toMatchObject([
        { amount: 124, sentence: expect.stringContaining('cost source "Hosts" has costs') as string },
      ]);
      await story.tell(story.hosts, 'always');
      expect(await story.total()).toBe(155);
      await story.tell(story.hosts, 'auto');
      await story.hosted(DAYS.map((day) => ({ day, host: 'db-1', service: 'postgres', cost: '4' })));
      expect(await story.total()).toBe(279);
      expect(await story.doubts()).toEqual([]);
    });

    it('is not doubted without a bill of its cloud that has delivered the day', async () => {
      const story = await newStory();
      const node = (id: string) => story.reported([asset('2026-01-10', 'node', id, '7')]);
      await node('worker-1');
      expect(await story.doubts()).toEqual([]); // no bill at all
      await story.billed([compute('2026-01-09', ID, '10')]);
      expect(await story.doubts()).toEqual([]); // the bill ends a day before
      await story.billed([compute('2026-01-10', ID, '10')]);
      expect(await story.doubts()).toMatchObject([{ amount: 7 }]);
      for (const [id, isDoubted] of [
        ['gce://shop-1/europe-west1-b/n-1', false],
        ['azure:///subscriptions/1/resourceGroups/rg/providers/Microsoft.Compute/virtualMachines/v', false],
        ['vsphere://4230a4a5-7b3f', false],
        ['k3s://worker-1', true],
        ['i-0fedcba9876543210', true],
      ] as const) {
        await node(id);
        expect([id, (await story.doubts()).length]).toEqual([id, isDoubted ? 1 : 0]);
        expect(await story.total()).toBe(17);
      }
      // A provider without machines has a bill too.
      await story.billed([dayLine('2026-01-10', '10', { ProviderName: 'Datadog' })]);
      await node('worker-1');
      expect(await story.doubts()).toEqual([]);
      // Told always, it counts on its own only while no bill has delivered its day.
      await story.tell(story.clusters, 'always');
      await story.billed([compute('2026-01-09', ID, '10')]);
      expect(await story.total()).toBe(17);
      await story.billed([compute('2026-01-09', ID, '10'), compute('2026-01-11', ID, '10')]);
      expect(await story.total()).toBe(27);
    });

    it('is doubted on all days but one after its last line: 116 of 368', async () => {
      const story = await newStory();
      const bill = (isNamed: (day: Day) => boolean) =>
        story.billed(
          DAYS.flatMap((day) => [compute(day, isNamed(day) ? ID : '', '6'), compute(day, 'bucket', '2')]),
        );
      await bill((day) => day === '2026-01-01');
      await story.hosted(DAYS.map((day) => host(day, ID, '4')));
      expect(await story.total()).toBe(368); // 248 + 30 × 4
      expect(await story.doubts()).toMatchObject([
        {
          amount: 116,
          sentence: textLike(/no line of a connected bill on 29 days from 2026-01-03 to 2026-01-31/),
        },
      ]);
      // Two of the four days of a hole are next to a line.
      await bill((day) => day < '2026-01-11' || day > '2026-01-14');
      expect(await story.total()).toBe(264); // 248 + 4 × 4
      expect(await story.doubts()).toMatchObject([{ amount: 8 }]);
      await bill((day) => day !== '2026-01-11');
      expect(await story.total()).toBe(252);
      expect(await story.doubts()).toEqual([]);
    });

    it('is not doubted on a day next to its line, or that the bill does not have yet', async () => {
      const story = await newStory();
      await story.billed([compute('2026-01-30', ID, '10'), dayLine('2026-01-31', '3')]);
      await story.reported([asset('2026-01-30', 'node', ID, '9'), asset('2026-01-31', 'node', ID, '9')]);
      expect(await story.total()).toBe(22); // 10 + 3 + 9
      expect(await story.doubts()).toEqual([]);
      const added = asset('2026-01-31', 'node', 'i-0fedcba9876543210', '4');
      await story.reported([asset('2026-01-30', 'node', ID, '9'), added]);
      expect(await story.doubts()).toMatchObject([{ amount: 4 }]);
      // Read two days after the 31st, the bill may still get the line of the new machine.
      await story.billed(
        [compute('2026-01-30', ID, '10'), dayLine('2026-01-31', '3')],
        new Date('2026-02-02T06:00:00Z'),
      );
      expect(await story.doubts()).toEqual([]);
      // A day later, clouds have delivered all lines of the 31st.
      await story.billed(
        [compute('2026-01-30', ID, '10'), dayLine('2026-01-31', '3')],
        new Date('2026-02-03T06:00:00Z'),
      );
      expect(await story.doubts()).toMatchObject([{ amount: 4 }]);
    });

    it('of a cluster without assets counts through the bill if a person tells', async () => {
      const story = await newStory();
      await story.billed([compute('2026-01-10', ID, '10')]);
      await story.reported([], [workload('2026-01-10', '6')]);
      expect(await story.total()).toBe(16);
      expect(await story.doubts()).toEqual([]);
      await story.tell(story.clusters, 'always');
      expect(await story.total()).toBe(10);
    });

    it('without an id follows its cluster if only a disk of the cluster is on the bill', async () => {
      const story = await newStory();
      const volume = 'vol-0123456789abcdef0';
      await story.billed(DAYS.map((day) => dayLine(day, '2', { ResourceId: volume })));
      await story.reported(
        DAYS.flatMap((day) => [asset(day, 'node', null, '10'), asset(day, 'disk', volume, '3')]),
      );
      expect(await story.total()).toBe(62); // not 372
      expect(await story.doubts()).toEqual([]);
    });

    it('is doubted with the allocations of days that borrow it', async () => {
      const story = await newStory();
      await story.billed(DAYS.map((day) => compute(day, ID, '10')));
      await story.reported(
        [asset('2026-01-01', 'node', 'worker-1', '10')],
        DAYS.map((day) => workload(day, '8')),
      );
      expect(await story.total()).toBe(560); // 310 + 10 + 30 × 8
      // The allocations of 30 days are unmatched, and the assets of the others cost 2 more: 300 - 240.
      expect(await story.doubts()).toMatchObject([
        { code: 'assets_missing', amount: 60 },
        { code: 'unmatched_machines', amount: 250 },
      ]);
    });

    it('of two clusters counts once, by the cluster whose name is first', async () => {
      const story = await newStory();
      const both = (id: string) =>
        story.reported(
          DAYS.flatMap((day) => [
            asset(day, 'node', id, '10', { cluster: 'blue' }),
            asset(day, 'node', id, '11', { cluster: 'green' }),
          ]),
        );
      await both(`aws:///eu-west-1a/${ID}`);
      expect(await story.total()).toBe(310); // not 651
      expect(await story.notes(story.clusters)).toEqual([
        `cluster "green": machines that cluster "blue" also reports, such as "aws:///eu-west-1a/${ID}", count there on 31 days ` +
          'from 2026-01-01 to 2026-01-31: their cost of 341 is not counted again',
      ]);
      await story.billed(DAYS.map((day) => compute(day, ID, '12')));
      expect(await story.total()).toBe(372);
      expect(await story.notes(story.clusters)).toEqual([]);
      // A mere name is another machine in each cluster.
      await both('worker-1');
      await story.tell(story.clusters, 'never');
      expect(await story.total()).toBe(1023); // 372 + 310 + 341
    });
  });
});
