import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { newOrders } from '../../support/service/connected-exports.ts';
import { ingest, newOrganisation, type Api } from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { someOf } from '../../support/effort.ts';
import { allocation, node, startFakeOpenCost } from '../../support/fakes/fake-opencost.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { textLike } from '../../support/service/matchers.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';
import { freeName } from '../../support/service/free-name.ts';
import { withOpened } from '../../support/with-opened.ts';

/** Sources of clusters, hosts and AI tools, through the real workflow. */
let service: SharedService;
let exportsDir: string;
const cluster = withOpened(() =>
  startFakeOpenCost({
    allocations: { '2026-02-06': [allocation(['prod', 'shop', 'deployment', 'api'], 2.5)] },
    assets: { '2026-02-06': node('prod', 'i-1', 4) },
  }),
);

beforeAll(async () => {
  service = await sharedService();
  ({ exportsDir } = service);
});

interface Source {
  id: string;
  kind: string;
  location: string;
  options: object;
}

let files = 0;
async function write(text: string): Promise<string> {
  const file = join(exportsDir, `${++files}.csv`);
  await writeFile(file, text);
  return file;
}

const newSource = async (admin: Api, source: object): Promise<Source> =>
  expectData(await admin.post<Source>('/cost-sources', { name: freeName('', 'Source'), ...source }));

describe('a source', () => {
  it('of each kind can be created, read and ingested twice with the same result', async () => {
    const { admin } = await newOrganisation(service);
    const allocations = await write(
      'Date,Namespace,ControllerKind,ControllerName,TotalCost\n2026-01-31,shop,deployment,api,1.5\n',
    );
    const assets = await write('day,kind,provider_id,cost\n2026-01-31,Node,i-1,3\n');
    const hosts = await write('day,host,service,cost\n2026-01-31,db-1,postgres,4\n2026-01-31,db-1,,1\n');
    const spend = await write('day,tool,cost\n2026-01-31,copilot,9\n');
    const usage = await write(
      'day,tool,repository,usage\n2026-01-31,copilot,git@github.com:acme/web.git,7\n',
    );
    const stories: [source: { kind: string; location: string; options?: object }, run: object][] = [
      [
        { kind: 'opencost', location: allocations, options: { cluster: 'prod', assets_location: assets } },
        { months: ['2026-01'], rows_read: 2, cost_total: 1.5, notes: [] },
      ],
      [
        { kind: 'opencost', location: cluster.url },
        {
          months: ['2026-02'],
          rows_read: 2,
          cost_total: 2.5,
          notes: [textLike(/no allocations for 370 of the 371 days from 2025-02-01 to 2026-02-06/)],
        },
      ],
      [
        { kind: 'hosts', location: hosts },
        { months: ['2026-01'], rows_read: 2, cost_total: 5, notes: [] },
      ],
      [
        { kind: 'ai_tools', location: spend, options: { usage_location: usage } },
        { months: ['2026-01'], rows_read: 2, cost_total: 9, notes: [] },
      ],
    ];
    const chosen = someOf(stories, 2);
    for (const [wanted, expected] of chosen) {
      const source = await newSource(admin, wanted);
      expect(source).toMatchObject({ ...wanted, options: wanted.options ?? {} });
      const run = await ingest(admin, source.id);
      expect(run).toMatchObject({ status: 'completed', rows_rejected: 0, error: null, ...expected });
      const again = await ingest(admin, source.id, { start_month: '2026-01', all: true });
      expect(again).toMatchObject({ status: 'completed', cost_total: run.cost_total, months: run.months });
      expect(expectData(await admin.get<Source>(`/cost-sources/${source.id}`))).toMatchObject(wanted);
    }
    expect(expectPage(await admin.get<Source[]>('/cost-sources')).items.map(({ kind }) => kind)).toEqual(
      chosen.map(([{ kind }]) => kind),
    );
  });

  it('has only the options of its kind, which are checked like its location', async () => {
    const { admin } = await newOrganisation(service);
    const good = { name: 'Source', location: join(exportsDir, 'a.csv') };
    const refused: [object, RegExp][] = [
      [
        { ...good, kind: 'stripe' },
        /^kind: expected "focus", "aws_cur", "azure_cost", "gcp_billing", "custom", "opencost", "hosts" or "ai_tools", got "stripe"/,
      ],
      [{ ...good }, /^kind: expected .*got nothing/],
      [{ ...good, kind: 'ai_tools' }, /^options\.usage_location: expected .*got nothing/],
      [{ ...good, kind: 'ai_tools', options: {} }, /^options\.usage_location: expected .*got nothing/],
      [{ ...good, kind: 'ai_tools', options: null }, /^options: expected/],
      [
        { ...good, kind: 'ai_tools', options: { usage_location: '/etc/passwd' } },
        /^options\.usage_location: .*SOURCE_ROOTS/,
      ],
      [{ ...good, kind: 'hosts', options: { cluster: 'a' } }, /^options\.cluster: unknown field/],
      [{ ...good, kind: 'hosts', options: { on_bill: 'maybe' } }, /^options\.on_bill: .*"auto"/],
      [{ ...good, kind: 'focus', options: { on_bill: 'never' } }, /^options\.on_bill: unknown field/],
      [{ ...good, kind: 'focus', options: { cluster: 'a' } }, /^options\.cluster: unknown field/],
      [
        { ...good, kind: 'opencost', options: { cost_column: 'BilledCost' } },
        /^options\.cost_column: unknown field/,
      ],
      [{ ...good, kind: 'opencost', options: { cluster: '' } }, /^options\.cluster: expected/],
      [
        { ...good, kind: 'opencost', options: { assets_location: 'http://10.0.0.1/a.csv' } },
        /^options\.assets_location: .*PRIVATE_TARGETS/,
      ],
      [{ ...good, kind: 'opencost', location: 'http://10.0.0.1:9003' }, /^location: .*PRIVATE_TARGETS/],
    ];
    for (const [source, message] of refused)
      expectError(await admin.post('/cost-sources', source), 400, message);
    expect(expectPage(await admin.get<unknown[]>('/cost-sources')).items).toEqual([]);
  });

  it('notes assets that follow their cluster, as the reconciliation does, and workloads of another source', async () => {
    const { admin } = await newOrganisation(service);
    const location = await write(
      'Date,Namespace,ControllerKind,ControllerName,TotalCost\n' +
        '2026-01-30,shop,deployment,api,1.5\n2026-01-31,shop,deployment,api,1.5\n',
    );
    const assets = await write(
      'day,kind,provider_id,cost\n2026-01-30,Node,i-1,3\n2026-01-30,ClusterManagement,,2\n',
    );
    const bill = await write(
      focusCsv([
        dayLine('2026-01-30', '3', { ResourceId: 'i-1', ServiceCategory: 'Compute' }),
        dayLine('2026-01-30', '2'),
        dayLine('2026-01-31', '3', { ResourceId: 'i-1', ServiceCategory: 'Compute' }),
      ]),
    );
    const options = { cluster: 'prod', assets_location: assets };
    const first = await newSource(admin, { name: 'First', kind: 'opencost', location, options });
    expect((await ingest(admin, first.id)).notes).toEqual([
      textLike(
        /^cluster "prod": assets that bills name differently .* on no bill on 1 day, 2026-01-30: their cost of 2 /,
      ),
      textLike(/^cluster "prod": .* no assets on 1 day, 2026-01-31.* its allocations of 1.5 count$/),
    ]);
    const { id: billId } = await newSource(admin, { name: 'Bill', kind: 'focus', location: bill });
    const decided = [
      textLike(
        /^cluster "prod": assets without a bill line .* on 1 day, 2026-01-30: their cost of 2 is not counted again/,
      ),
      textLike(/^cluster "prod": .* no assets on 1 day, 2026-01-31.* not its allocations of 1.5$/),
    ];
    expect((await ingest(admin, billId)).notes).toEqual(decided);
    const reconciled = async () => {
      const path = '/costs/breakdown?start_date=2026-01-01&end_date=2026-01-31&group_by=source';
      return (await admin.get(path)).body;
    };
    expect(await reconciled()).toMatchObject({
      total: 8, // 3 + 2 + 3: the bill
      reconciliation: [
        { name: 'prod', billed: 6, outside_bills: 0, followed_days: 1, borrowed_days: 1, notes: decided },
      ],
    });

    const second = await newSource(admin, {
      name: 'Second',
      kind: 'opencost',
      location,
      options: { cluster: 'prod' },
    });
    // The cluster is on the bill on both days, on the second one by its borrowed assets. No line counts twice.
    const twice =
      'its workloads cost 3 twice on 2 days from 2026-01-30 to 2026-01-31; the lines of its bill count once';
    const also = (name: string) => `source "${name}" also reports cluster "prod": ${twice}`;
    expect((await ingest(admin, second.id)).notes[0]).toBe(also('First'));
    expect((await ingest(admin, first.id)).notes[0]).toBe(also('Second'));
  });

  it('with machines that match no bill line hold the month back, until a person tells', async () => {
    const { admin } = await newOrganisation(service);
    const days = Array.from({ length: 31 }, (_, day) => `2026-01-${String(day + 1).padStart(2, '0')}`);
    const bill = await write(
      focusCsv(
        days.map((day) =>
          dayLine(day, '10', { ResourceId: 'i-0a1b2c3d4e5f60718', ServiceCategory: 'Other' }),
        ),
      ),
    );
    const hosts = await write(
      [
        'day,host,service,cost,machine_id',
        ...days.map((day) => `${day},db-1,postgres,4,db-1.internal`),
        '',
      ].join('\n'),
    );
    const billId = (await newSource(admin, { name: 'Bill', kind: 'focus', location: bill })).id;
    const hostsId = (await newSource(admin, { name: 'Hosts', kind: 'hosts', location: hosts })).id;
    await ingest(admin, billId);
    const unmatched = 'machine "db-1.internal" matches no line of a connected bill on 31 days';
    expect((await ingest(admin, hostsId)).notes).toEqual([
      textLike(new RegExp(`^host "db-1": ${unmatched}`)),
    ]);
    const id = await newOrders(admin, ['2026-01']);
    const january = async () =>
      expectData(await admin.get<{ month: string }[]>(`/metrics/${id}/months`)).find(
        ({ month }) => month === '2026-01',
      );
    expect(await january()).toMatchObject({
      cost: 434,
      status: 'open',
      can_lock: 'without_missing', // 310 + 124
      missing: [
        {
          code: 'unmatched_machines',
          amount: 124,
          sentence: textLike(
            /^cost source "Hosts" has costs that a bill may include too: machine "db-1.internal"/,
          ),
          ways_out: [
            { action: 'run_source', source_id: hostsId },
            { action: 'on_bill_always', source_id: hostsId },
            { action: 'on_bill_never', source_id: hostsId },
            { action: 'accept' },
          ],
        },
      ],
    });
    expectError(await admin.post(`/metrics/${id}/months/2026-01/lock`), 409, /db-1\.internal/);
    expectData(await admin.patch(`/cost-sources/${hostsId}`, { options: { on_bill: 'always' } }));
    expect(await january()).toMatchObject({ cost: 310, status: 'ready_to_lock', missing: [] });
    expectData(await admin.patch(`/cost-sources/${hostsId}`, { options: { on_bill: 'never' } }));
    expect(await january()).toMatchObject({ cost: 434, missing: [] });
  });

  it('keeps its kind, and accepts only options of that kind', async () => {
    const { admin } = await newOrganisation(service);
    const location = join(exportsDir, 'a.csv');
    const { id } = await newSource(admin, { kind: 'opencost', location, options: { cluster: 'prod' } });
    const path = `/cost-sources/${id}`;
    const refused: [object, RegExp][] = [
      [{ kind: 'hosts' }, /^kind: unknown field/],
      [{ options: { cost_column: 'BilledCost' } }, /^options\.cost_column: unknown field .*kind opencost/],
      [{ options: { usage_location: location } }, /^options\.usage_location: unknown field/],
      [{ options: { region: 'eu' } }, /^options\.region: unknown field/],
      [{ options: { assets_location: '/etc/passwd' } }, /^options\.assets_location: .*SOURCE_ROOTS/],
    ];
    for (const [changes, message] of refused) expectError(await admin.patch(path, changes), 400, message);
    expectError(await admin.patch('/cost-sources/src_none', { options: {} }), 404);
    expect(expectData(await admin.get<Source>(path)).options).toEqual({ cluster: 'prod', on_bill: 'auto' });
    expect(
      expectData(await admin.patch<Source>(path, { options: { assets_location: location } })),
    ).toMatchObject({
      kind: 'opencost',
      location,
      options: { assets_location: location },
    });
    const ai = await newSource(admin, { kind: 'ai_tools', location, options: { usage_location: location } });
    expectError(
      await admin.patch(`/cost-sources/${ai.id}`, { options: {} }),
      400,
      /^options\.usage_location: expected/,
    );
  });

  it('that cannot be read fails with an error that names what to correct', async () => {
    const { admin } = await newOrganisation(service);
    const spend = await write('day,tool,cost\n2026-01-31,copilot,9\n');
    const stories: [source: object, error: RegExp][] = [
      [{ kind: 'hosts', location: spend }, /this is a file of AI tools; make the source an ai_tools one/],
      [
        { kind: 'ai_tools', location: spend, options: { usage_location: `${exportsDir}/none/*.csv` } },
        /^options\.usage_location: no \.csv/,
      ],
      [
        { kind: 'ai_tools', location: spend, options: { usage_location: spend } },
        /mandatory column repository; usage/,
      ],
      [
        { kind: 'opencost', location: `${cluster.url}/elsewhere` },
        /^location: .*\/elsewhere\/allocation answered 404/,
      ],
      [
        {
          kind: 'opencost',
          location: await write(
            'Date,Namespace,ControllerKind,ControllerName,TotalCost\n2026-01-31,a,b,c,1\n',
          ),
        },
        /set options\.cluster/,
      ],
    ];
    for (const [source, error] of stories) {
      const { id } = await newSource(admin, source);
      expect(await ingest(admin, id)).toMatchObject({ status: 'failed', error: textLike(error) });
    }
  });
});
