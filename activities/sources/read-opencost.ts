import { daysToAsk } from '../../domain/sources/opencost-days.ts';
import type { Day } from '../../domain/shared/calendar.ts';
import type { CostSourceOf } from '../../warehouse/sources/cost-sources.ts';
import type { ExportFile } from '../../warehouse/sources/feeds/export-files.ts';
import type { StagedLoad } from '../../warehouse/sources/publishing/load.ts';
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
import { stageOpenCost } from '../../warehouse/sources/opencost/opencost-load.ts';
import { relationsOf } from '../../warehouse/sources/feeds/scan-files.ts';
import type { Reader } from '../../warehouse/engine/readers/reader.ts';
import { openCostApi, type OpenCostApi } from './opencost-api.ts';
import { isApiLocation } from '../../warehouse/sources/file-locations.ts';
import type { Attempt } from '../shared/with-heartbeats.ts';
import { ofKind } from './of-kind.ts';
import { readIfChanged } from './read-changed.ts';
import type { Reading, SourceReading } from './reading.ts';

type OpenCostSource = CostSourceOf<'opencost'>;

/** The mandatory columns that a file of a feed lacks. */
const MISSING = {
  allocations: ofKind('opencost', missingAllocationColumns),
  assets: ofKind('opencost', missingAssetColumns),
};

/** Reads an OpenCost source from its files, if they have changed, or from its API, and stages its rows; see `stageOpenCost`. */
export const readOpenCost = async (source: OpenCostSource, reading: Reading): Promise<SourceReading> =>
  isApiLocation(source.location)
    ? { staged: await readApi(source, reading), record: null }
    : readFiles(source, reading);

function readFiles({ location, options }: OpenCostSource, reading: Reading): Promise<SourceReading> {
  const { sessions, load } = reading;
  const { assets_location: ofAssets } = options;
  return readIfChanged(
    reading,
    [
      { field: 'location', location, missing: MISSING.allocations },
      ...(ofAssets === undefined
        ? []
        : [{ field: 'options.assets_location', location: ofAssets, missing: MISSING.assets }]),
    ],
    async ([allocations = [], assets]) => {
      const staged = await stageOpenCost(sessions, load, {
        allocations: relationsOf(allocations),
        assets: assets === undefined ? null : relationsOf(assets),
        cluster: options.cluster ?? null,
        from: 'files',
      });
      return { ...staged, readFrom: pathsOf([...allocations, ...(assets ?? [])]) };
    },
  );
}

/** Requests one day after the other from the API, then stages the answers. Days that the API no longer has stay as they are. */
async function readApi({ location, options }: OpenCostSource, reading: Reading): Promise<StagedLoad> {
  const { sessions, load, rules, attempt, newestDays } = reading;
  const { reader, session } = sessions;
  const assets = await assetFiles({ location, options }, reading);
  const api = openCostApi(location, { privateTargets: rules.privateTargets, signal: attempt.signal });
  const lastDelivered = await lastDeliveredDay(session, load.orgId, load.sourceId);
  const missing = daysToAsk({ ...load, lastDelivered });
  const days = newestDays === undefined ? missing : missing.slice(-newestDays);
  await openApiRows(reader);
  const asked = await askApi(reader, api, days, attempt, assets === null);
  const { counts, notes, ...staged } = await stageOpenCost(sessions, load, {
    allocations: [API_ALLOCATIONS],
    assets: assets === null ? [API_ASSETS] : relationsOf(assets),
    cluster: options.cluster ?? null,
    from: 'api',
  });
  return {
    ...staged,
    counts: {
      ...counts,
      rowsRead: counts.rowsRead + asked.leftOut,
      rowsLeftOut: counts.rowsLeftOut + asked.leftOut,
    },
    readFrom: pathsOf(assets ?? []),
    notes: [...notesOf(days, asked), ...notes],
  };
}

/** Returns the files of `options.assets_location`; null without one. */
const assetFiles = async (
  { location, options: { assets_location: assetsLocation } }: Pick<OpenCostSource, 'location' | 'options'>,
  { files }: Reading,
): Promise<ExportFile[] | null> =>
  assetsLocation === undefined
    ? null
    : files.at('options.assets_location', assetsLocation, MISSING.assets, {
        other: { location, missing: MISSING.allocations },
      });

const pathsOf = (files: readonly ExportFile[]): string[] => files.map(({ path }) => path);

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
