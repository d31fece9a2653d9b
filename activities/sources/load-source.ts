import {
  loadAiTools,
  missingAiSpendColumns,
  missingAiUsageColumns,
} from '../../warehouse/sources/ai-tools-load.ts';
import type { CostSource, CostSourceOf } from '../../warehouse/sources/cost-sources.ts';
import { missingColumns } from '../../warehouse/sources/focus/focus-columns.ts';
import { loadFocusExport } from '../../warehouse/sources/focus/focus-load.ts';
import type { LoadResult } from '../../warehouse/sources/publishing/load.ts';
import { loadHosts, missingHostColumns } from '../../warehouse/sources/hosts-load.ts';
import { loadOpenCostSource } from './load-opencost.ts';
import { readableFiles } from './readable-files.ts';
import type { SourceReading } from './source-reading.ts';
import { withHeldFiles } from './with-held-files.ts';

/** Reads a source of any kind and publishes its loads (docs/data-formats.md#what-a-run-replaces). */
export const loadSource = (source: CostSource, reading: Omit<SourceReading, 'held'>): Promise<LoadResult> =>
  withHeldFiles((held) => loadOfKind(source, { ...reading, held }));

function loadOfKind(source: CostSource, reading: SourceReading): Promise<LoadResult> {
  switch (source.kind) {
    case 'focus':
      return loadFocusSource(source, reading);
    case 'opencost':
      return loadOpenCostSource(source, reading);
    case 'hosts':
      return loadHostsSource(source, reading);
    case 'ai_tools':
      return loadAiToolsSource(source, reading);
  }
}

async function loadFocusSource(
  { location, options }: CostSourceOf<'focus'>,
  reading: SourceReading,
): Promise<LoadResult> {
  const { sessions, scope, currency } = reading;
  const costColumn = options.cost_column;
  const { files, notes, publish } = await readableFiles(reading, location, (file) =>
    missingColumns(file, costColumn),
  );
  return withNotes(
    notes,
    await loadFocusExport(sessions, { ...scope, files, costColumn, currency }, publish),
  );
}

async function loadHostsSource(
  { location }: CostSourceOf<'hosts'>,
  reading: SourceReading,
): Promise<LoadResult> {
  const { files, notes, publish } = await readableFiles(reading, location, missingHostColumns);
  return withNotes(notes, await loadHosts(reading.sessions, reading.scope, files, publish));
}

async function loadAiToolsSource(
  { location, options }: CostSourceOf<'ai_tools'>,
  reading: SourceReading,
): Promise<LoadResult> {
  const spend = await readableFiles(reading, location, missingAiSpendColumns);
  const usage = await readableFiles(
    { ...reading, publish: spend.publish },
    options.usage_location,
    missingAiUsageColumns,
    'options.usage_location',
  );
  const files = { spend: spend.files, usage: usage.files };
  return withNotes(
    [...spend.notes, ...usage.notes],
    await loadAiTools(reading.sessions, reading.scope, files, usage.publish),
  );
}

const withNotes = (notes: readonly string[], result: LoadResult): LoadResult => ({
  ...result,
  notes: [...notes, ...result.notes],
});
