import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ingestSource } from '../../../activities/sources/ingest-source.ts';
import { addDays, lastDay, type Month } from '../../../domain/shared/calendar.ts';
import type { CostSource } from '../../../warehouse/sources/cost-sources.ts';
import type { LoadResult } from '../../../warehouse/sources/publishing/load.ts';
import type { TestWarehouse } from '../../support/warehouse/engines.ts';
import { loading, ingestOf } from '../../support/warehouse/feeds.ts';
import type { Asset, BillForm, Feed, FileCopy, Kind, RejectedRow } from '../organisation-story.ts';
import { BILL_FORMS, billRow, instant, type Row } from './told-forms.ts';

/** The columns of a source's feeds. The first one has the day. */
const COLUMNS: Readonly<
  Record<Exclude<Kind, 'focus'>, { main: readonly string[]; second?: readonly string[] }>
> = {
  opencost: {
    main: ['day', 'Cluster', 'Namespace', 'ControllerKind', 'ControllerName', 'TotalCost'],
    second: ['day', 'cluster', 'kind', 'provider_id', 'project', 'cost'],
  },
  hosts: { main: ['day', 'host', 'service', 'cost', 'machine_id'] },
  ai_tools: { main: ['day', 'tool', 'cost'], second: ['day', 'tool', 'repository', 'usage'] },
};

/** The columns of the amount and of the name that a rejected row may lack. */
const LACKING: Readonly<
  Record<Exclude<Kind, 'focus'>, Record<'main' | 'second', { amount: string; name: string }>>
> = {
  opencost: { main: { amount: 'TotalCost', name: 'TotalCost' }, second: { amount: 'cost', name: 'kind' } },
  hosts: { main: { amount: 'cost', name: 'host' }, second: { amount: '', name: '' } },
  ai_tools: { main: { amount: 'cost', name: 'tool' }, second: { amount: 'usage', name: 'tool' } },
};

const ASSET_KINDS: Readonly<Record<Asset['kind'], string>> = {
  node: 'Node',
  disk: 'Disk',
  load_balancer: 'LoadBalancer',
  management: 'ClusterManagement',
};

/** Returns the readable rows of a load. */
function rowsOf(feed: Feed, month: Month, form: BillForm): { main: Row[]; second: Row[] } {
  switch (feed.kind) {
    case 'focus':
      return { main: feed.lines.map((line) => billRow(BILL_FORMS[form], line, month)), second: [] };
    case 'opencost':
      return {
        main: feed.allocations.map(({ day, cluster, namespace, workload, cost }) => {
          const [ControllerKind = '', ControllerName = ''] = workload?.split('/') ?? [];
          const Namespace = namespace ?? '__idle__';
          return { day, Cluster: cluster, Namespace, ControllerKind, ControllerName, TotalCost: cost };
        }),
        second: feed.assets.map(({ day, cluster, kind, id, project, cost }) => ({
          day,
          cluster,
          kind: ASSET_KINDS[kind],
          cost,
          provider_id: id?.text ?? '',
          project: project ?? '',
        })),
      };
    case 'hosts':
      return {
        main: feed.shares.map(({ day, host, service, machine, cost }) => ({
          day,
          host,
          service: service ?? '__idle__',
          cost,
          machine_id: machine?.text ?? '',
        })),
        second: [],
      };
    case 'ai_tools':
      return {
        main: feed.spend.map((row) => ({ ...row })),
        second: feed.usage.map(({ repository, ...row }) => ({ ...row, repository: repository ?? '' })),
      };
  }
}

/** Returns a row that cannot be read, made of a readable one. */
function rejectedRow(written: Written, { days, period, lacks }: RejectedRow, row: Row): Row {
  const [from, through] = days ?? ['some day', 'some day'];
  const lacking = written.lacking[lacks];
  return {
    ...row,
    ...(written.form === null
      ? { day: from }
      : BILL_FORMS[written.form].when(
          days === null ? from : instant(from),
          days === null ? through : instant(addDays(through, 1)),
          period === null ? 'some month' : instant(`${period}-01`),
        )),
    [lacking]: lacks === 'amount' ? '12,345.67' : '',
  };
}

/** How the rows of one feed are written: the form of a bill, and the columns that a rejected row may lack. */
interface Written {
  form: BillForm | null;
  lacking: { amount: string; name: string };
}

function writtenAs(feed: Feed, of: 'main' | 'second', form: BillForm): Written {
  if (feed.kind !== 'focus') return { form: null, lacking: LACKING[feed.kind][of] };
  const { amount, account } = BILL_FORMS[form];
  return { form, lacking: { amount, name: account } };
}

/** Returns all rows of one feed, with those that cannot be read. A file may have one of these in a hundred others. */
function withRejected(feed: Feed, of: 'main' | 'second', rows: readonly Row[], form: BillForm): Row[] {
  const written = writtenAs(feed, of, form);
  const rejected = feed.rejected.filter(({ isOfSecond }) => isOfSecond === (of === 'second'));
  const [first = {}] = rows;
  const others = feed.isMostlyReadable && rows.length > 0 ? 100 * rejected.length : 0;
  return [
    ...rows,
    ...Array<Row>(others).fill({ ...first, [written.lacking.amount]: '0' }),
    ...rejected.map((row) => rejectedRow(written, row, first)),
  ];
}

const cell = (text: string): string => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const csvOf = (columns: readonly string[], rows: readonly Row[]): string =>
  [columns, ...rows.map((row) => columns.map((column) => cell(row[column] ?? '')))]
    .map((cells) => `${cells.join(',')}\n`)
    .join('');

/** Returns the manifest of an Azure run of a month, which delivers the file `feed.csv` of a scope. */
const manifestOf = (scope: string, month: Month, now: Date): string =>
  JSON.stringify({
    exportConfig: { resourceId: `${scope}/providers/Microsoft.CostManagement/exports/daily` },
    runInfo: {
      startDate: `${month}-01T00:00:00`,
      endDate: lastDay(month),
      submittedTime: now.toISOString(),
    },
    blobs: [{ blobName: 'feed.csv' }],
  });

function isCopied(row: Row, day: string, copy: FileCopy, account: string): boolean {
  if ('through' in copy) return (row[day] ?? '').slice(0, 10) <= copy.through;
  return !('account' in copy) || row[account] === copy.account;
}

/**
 * Returns the files of a load by their names. The export of one account is one of Azure, with a run of its own in the scope of a
 * subscription. The whole export then is one of the billing account.
 */
function filesOf(feed: Feed, month: Month, now: Date, form: BillForm): Record<string, string | Buffer> {
  const { main: columns, second } =
    feed.kind === 'focus' ? { main: BILL_FORMS[form].columns, second: undefined } : COLUMNS[feed.kind];
  const rows = rowsOf(feed, month, form);
  const all = withRejected(feed, 'main', rows.main, form);
  const [day = ''] = columns;
  const textOf = (some: readonly Row[]): string => csvOf(columns, some);
  const run = (name: string, scope: string, some: readonly Row[]) => ({
    [`main/${name}/feed.csv`]: textOf(some),
    [`main/${name}/manifest.json`]: manifestOf(scope, month, now),
  });
  const files: Record<string, string | Buffer> = feed.copies.some((copy) => 'account' in copy)
    ? run('all/run', '/providers/Microsoft.Billing/billingAccounts/1', all)
    : { 'main/feed.csv': textOf(all) };
  for (const [index, copy] of feed.copies.entries()) {
    const some = all.filter((row) => isCopied(row, day, copy, BILL_FORMS[form].account));
    if ('account' in copy) Object.assign(files, run(`${index}/run`, `/subscriptions/${copy.account}`, some));
    else if ('of' in copy && copy.isCompressed) files[`main/copy ${index}.csv.gz`] = gzipSync(textOf(some));
    else files[`main/copy ${index}.csv`] = textOf(some);
  }
  if (second !== undefined)
    files['second/feed.csv'] = csvOf(second, withRejected(feed, 'second', rows.second, form));
  return files;
}

/** Writes the files of a load, and reads them as an ingest does. */
export async function loadFeed(
  test: TestWarehouse,
  target: { orgId: string; source: CostSource },
  { feed, month }: { feed: Feed; month: Month },
  now: Date,
): Promise<LoadResult> {
  const folder = join(await realpath(test.directory), 'exports', randomUUID());
  for (const [name, content] of Object.entries(filesOf(feed, month, now, formOf(target.source)))) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  const tenant = { orgId: target.orgId, sourceId: target.source.id };
  const changes = { now, runId: `run_${randomUUID()}` };
  return loading(test, (sessions) =>
    ingestSource(locatedIn(folder, target.source), ingestOf(test, sessions, tenant, changes)),
  );
}

/** The form of a source's bills; that of another source does not matter. */
const formOf = ({ kind }: CostSource): BillForm =>
  kind === 'opencost' || kind === 'hosts' || kind === 'ai_tools' ? 'focus' : kind;

function locatedIn(folder: string, source: CostSource): CostSource {
  const [location, second] = [join(folder, 'main'), join(folder, 'second')];
  if (source.kind === 'opencost')
    return { ...source, location, options: { ...source.options, assets_location: second } };
  if (source.kind === 'ai_tools')
    return { ...source, location, options: { ...source.options, usage_location: second } };
  return { ...source, location };
}
