import { daysToAsk } from '../../domain/sources/opencost-days.ts';
import type { Day } from '../../domain/shared/calendar.ts';
import type { CostSourceOf } from '../../warehouse/sources/cost-sources.ts';
import type { LoadResult } from '../../warehouse/sources/publishing/load.ts';
import {
  API_ALLOCATIONS,
  API_ASSETS,
  appendAllocations,
  appendAssets,
  lastDeliveredDay,
  openApiRows,
} from '../../warehouse/sources/opencost/opencost-api-rows.ts';
import {
  missingAllocationColumns,
  missingAssetColumns,
} from '../../warehouse/sources/opencost/opencost-columns.ts';
import { loadOpenCost } from '../../warehouse/sources/opencost/opencost-load.ts';
import { relationsOf } from '../../warehouse/sources/feeds/scan-files.ts';
import type { Reader } from '../../warehouse/engine/readers/reader.ts';
import type { SourceReading } from './source-reading.ts';
import { openCostApi, type OpenCostApi } from './opencost-api.ts';
import { isApiLocation } from '../../warehouse/sources/file-locations.ts';
import { readableFiles, type ReadableFiles } from './readable-files.ts';
import type { Attempt } from '../shared/with-heartbeats.ts';

/** Loads an OpenCost source from its files or its API; see `loadOpenCost`. */
export async function loadOpenCostSource(
  { location, options }: CostSourceOf<'opencost'>,
  reading: Omit<SourceReading, 'currency'>,
): Promise<LoadResult> {
  const { sessions, scope, rules } = reading;
  const assets =
    options.assets_location === undefined
      ? null
      : await readableFiles(reading, options.assets_location, missingAssetColumns, 'options.assets_location');
  const cluster = options.cluster ?? null;
  if (isApiLocation(location)) {
    const { privateTargets } = rules;
    const api = openCostApi(location, { privateTargets, signal: reading.attempt.signal });
    return loadFromApi(api, reading, { assets, cluster });
  }
  const publish = assets?.publish ?? reading.publish;
  const allocations = await readableFiles({ ...reading, publish }, location, missingAllocationColumns);
  const feeds = {
    allocations: relationsOf(allocations.files),
    assets: assets === null ? null : relationsOf(assets.files),
    cluster,
    from: 'files' as const,
  };
  const readFrom = [...allocations.files, ...(assets?.files ?? [])].map(({ path }) => path);
  const result = await loadOpenCost(sessions, { ...scope, readFrom }, feeds, allocations.publish);
  return { ...result, notes: [...allocations.notes, ...(assets?.notes ?? []), ...result.notes] };
}

/** Requests one day after the other from the API, then loads the answers. Days that the API no longer has stay as they are. */
async function loadFromApi(
  api: OpenCostApi,
  { sessions, scope, attempt, publish }: Omit<SourceReading, 'currency'>,
  { assets, cluster }: { assets: ReadableFiles | null; cluster: string | null },
): Promise<LoadResult> {
  const { reader, session } = sessions;
  const lastDelivered = await lastDeliveredDay(session, scope.orgId, scope.sourceId);
  const days = daysToAsk({ ...scope, lastDelivered });
  await openApiRows(reader);
  const asked = await askApi(reader, api, days, attempt, assets === null);
  const feeds = {
    allocations: [API_ALLOCATIONS],
    assets: assets === null ? [API_ASSETS] : relationsOf(assets.files),
    cluster,
    from: 'api' as const,
  };
  const readFrom = (assets?.files ?? []).map(({ path }) => path);
  const result = await loadOpenCost(sessions, { ...scope, readFrom }, feeds, assets?.publish ?? publish);
  return {
    ...result,
    rowsRead: result.rowsRead + asked.leftOut,
    rowsLeftOut: result.rowsLeftOut + asked.leftOut,
    notes: [...(assets?.notes ?? []), ...notesOf(days, asked), ...result.notes],
  };
}

interface Asked {
  /** Entries of the answers that are not rows. */
  leftOut: number;
  emptyDays: number;
  /** Whether the API has no assets. */
  assetsUnknown: boolean;
}

async function askApi(
  reader: Reader,
  api: OpenCostApi,
  days: readonly Day[],
  attempt: Attempt,
  withAssets: boolean,
): Promise<Asked> {
  const asked: Asked = { leftOut: 0, emptyDays: 0, assetsUnknown: false };
  let rowsRead = 0;
  for (const day of days) {
    attempt.signal.throwIfAborted();
    const allocations = await api.allocations(day);
    await appendAllocations(reader, day, allocations.rows);
    rowsRead += allocations.rows.length;
    asked.leftOut += allocations.leftOut;
    if (allocations.rows.length === 0) asked.emptyDays += 1;
    if (withAssets && !asked.assetsUnknown) {
      const assets = await api.assets(day);
      if (assets === null) asked.assetsUnknown = true;
      else {
        await appendAssets(reader, day, assets.rows);
        rowsRead += assets.rows.length;
        asked.leftOut += assets.leftOut;
      }
    }
    attempt.report(rowsRead + asked.leftOut);
  }
  return asked;
}

function notesOf(days: readonly Day[], { emptyDays, assetsUnknown }: Asked): string[] {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined)
    return ['no day of these months has ended yet, so the API was not called'];
  const notes = [];
  if (emptyDays === days.length) {
    notes.push(`the API returned no allocations for any day from ${first} to ${last}: nothing was loaded`);
  } else if (emptyDays > 0) {
    notes.push(
      `the API returned no allocations for ${emptyDays} of the ${days.length} days from ${first} to ${last}; ` +
        'what was loaded for them before stays',
    );
  }
  if (assetsUnknown) {
    notes.push(
      'the API has no /assets, so the nodes of the clusters are unknown and cannot be found on a bill; ' +
        'set options.assets_location',
    );
  }
  return notes;
}
