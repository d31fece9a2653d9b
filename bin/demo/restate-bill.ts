import type { Day, Month } from '../../domain/shared/calendar.ts';
import type { ApiClient } from './api-client.ts';
import { ingestSources, type ConnectedSource } from './ingest-sources.ts';
import type { MonthOnWire } from './lock-months.ts';
import { rememberRestated, restatedMonth } from './restated-month.ts';
import { RESTATED_SOURCE, sampleSources } from './sample-sources.ts';
import { writeExports } from './write-exports.ts';

/** Restates a locked month, once in the life of a data directory: writes its bill anew and reads that month again. */
export const restateBill = async (
  admin: ApiClient,
  sample: {
    dataDir: string;
    /** The exports lie below it. */
    folder: string;
    through: Day;
    /** The source whose bill is restated. */
    source: ConnectedSource;
    /** The months of a metric, by which a locked one is chosen. */
    locks: readonly MonthOnWire[];
  },
  say: (text: string) => void,
): Promise<void> => {
  const { dataDir, folder, through, source, locks } = sample;
  const month = monthToRestate(locks);
  if (month === null || (await restatedMonth(dataDir)) !== null) return;
  await rememberRestated(dataDir, month);
  say(`${source.name} restates its bill of ${month} …`);
  for (const { name, feeds } of sampleSources(folder, month)) {
    if (name !== RESTATED_SOURCE) continue;
    for (const feed of feeds) await writeExports(feed, [month], through);
  }
  await ingestSources(admin, [source], say, month);
};

/** A month that is locked as its first version and not the newest such, or null without any. */
const monthToRestate = (months: readonly MonthOnWire[]): Month | null =>
  months.filter(({ status, version }) => status === 'locked' && version === 1)[1]?.month ?? null;
