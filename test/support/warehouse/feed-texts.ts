import { stageAiTools } from '../../../warehouse/sources/ai-tools-load.ts';
import { describeFile } from './describe-file.ts';
import { relationsOf } from '../../../warehouse/sources/feeds/scan-files.ts';
import { stageHosts } from '../../../warehouse/sources/hosts-load.ts';
import { stageOpenCost } from '../../../warehouse/sources/opencost/opencost-load.ts';
import type { LoadResult, LoadScope } from '../../../warehouse/sources/publishing/load.ts';
import type { TestWarehouse } from './engines.ts';
import { loading, loadWith, scopeOf, type Tenant } from './feeds.ts';
import { published, writeFiles } from './tenant.ts';

type Files = Pick<TestWarehouse, 'warehouse' | 'directory'>;

const textOf = (header: string, lines: readonly string[]): string => [header, ...lines, ''].join('\n');

/** Loads lines of `day,host,service,cost` as a source of hosts. */
export const loadHostLines = async (
  test: Files,
  tenant: Tenant,
  lines: readonly string[],
  changes: Partial<LoadScope> = {},
): Promise<LoadResult> =>
  loadWith(
    test,
    await writeFiles(test, { 'hosts.csv': textOf('day,host,service,cost', lines) }),
    (sessions, files) =>
      published(sessions, scopeOf(tenant, changes), (load) => stageHosts(sessions, load, files)),
  );

/** Loads lines of `day,tool,cost` and of `day,tool,repository,usage` as a source of AI tools. */
export async function loadAiLines(
  test: Files,
  tenant: Tenant,
  { spend, usage }: { spend: readonly string[]; usage: readonly string[] },
  changes: Partial<LoadScope> = {},
): Promise<LoadResult> {
  const paths = await writeFiles(test, {
    'spend.csv': textOf('day,tool,cost', spend),
    'usage.csv': textOf('day,tool,repository,usage', usage),
  });
  return loadWith(test, paths, (sessions, [spendFile, usageFile]) =>
    published(sessions, scopeOf(tenant, changes), (load) =>
      stageAiTools(sessions, load, {
        spend: spendFile === undefined ? [] : [spendFile],
        usage: usageFile === undefined ? [] : [usageFile],
      }),
    ),
  );
}

/** Loads lines of allocations (`Date,Cluster,Namespace,ControllerKind,ControllerName,TotalCost,SharedCost`) and of assets. */
export async function loadClusterLines(
  test: Files,
  tenant: Tenant,
  { allocations, assets }: { allocations: readonly string[]; assets: readonly string[] },
  changes: Partial<LoadScope> = {},
): Promise<LoadResult> {
  const [allocationPath = '', assetPath = ''] = await writeFiles(test, {
    'allocations.csv': textOf(
      'Date,Cluster,Namespace,ControllerKind,ControllerName,TotalCost,SharedCost',
      allocations,
    ),
    'assets.csv': textOf('day,cluster,kind,provider_id,cost', assets),
  });
  return loading(test, async (sessions) => {
    const relationsAt = async (path: string) => relationsOf([await describeFile(sessions.reader, path)]);
    const feeds = {
      allocations: await relationsAt(allocationPath),
      assets: await relationsAt(assetPath),
      cluster: null,
      from: 'files' as const,
    };
    return published(sessions, scopeOf(tenant, changes), (load) => stageOpenCost(sessions, load, feeds));
  });
}
