import type { Month } from '../../domain/shared/calendar.ts';
import { writeExports } from '../exports/write-exports.ts';
import { firstUnitCost } from '../report/first-unit-cost.ts';
import { named, type Shop } from './apply.ts';
import type { Named, Say } from './client.ts';
import { withMonths } from './history.ts';
import { ingest } from './ingest.ts';
import { importSales } from './sales.ts';
import { SOURCES } from './sample-shop.ts';

/** The part of the demo that a person waits for longest. */
interface ShopIngest {
  shop: Shop;
  /** Where the exports go. */
  folder: string;
  restated: Month | null;
  say: Say;
}

const isExportOfCluster = (path: string): boolean => path.startsWith('cluster-');
const isCluster = ({ name }: Named): boolean => name.startsWith('Cluster ');

/**
 * Writes the exports, ingests them, and imports the sales. The clusters come first: they are small, and Open stores divides nothing
 * else, so that its unit cost is printed before the bills are read.
 */
export async function ingestShop({ shop, folder, restated, say }: ShopIngest): Promise<void> {
  const { admin, time, sources, sales } = shop;
  const ingestAll = (some: readonly Named[]) => Promise.all(some.map((source) => ingest(admin, source, say)));
  say(
    `Writing the exports of ${SOURCES.length} cost sources, ${time.months.length} months each, below ${folder} …`,
  );
  await writeExports(folder, time, restated, isExportOfCluster);
  say('Ingesting costs, importing sales …');
  await Promise.all([
    ingestAll(sources.filter(isCluster)).then(async () => {
      say(firstUnitCost(await withMonths(admin, named(shop.metrics, 'Open stores'))));
    }),
    writeExports(folder, time, restated, (path) => !isExportOfCluster(path)),
  ]);
  const others = sources.filter((source) => !isCluster(source));
  await Promise.all([ingestAll(others), sales && importSales(admin, sales, say)]);
}
