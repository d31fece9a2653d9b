import type { SourceRules } from '../egress/source-location.ts';
import { loadAiTools, missingAiSpendColumns, missingAiUsageColumns } from '../warehouse/ai-tools-load.ts';
import type { CostSource, CostSourceOf } from '../warehouse/cost-sources.ts';
import { loadFocusExport, type LoadResult } from '../warehouse/focus-load.ts';
import { missingColumns } from '../warehouse/focus-roll-up.ts';
import { loadHosts, missingHostColumns } from '../warehouse/hosts-load.ts';
import type { LoadScope } from '../warehouse/publish-load.ts';
import type { Session } from '../warehouse/session.ts';
import { loadOpenCostSource } from './load-opencost.ts';
import { isApiLocation } from './opencost-requests.ts';
import { readableFiles } from './readable-files.ts';
import type { Attempt } from './with-heartbeats.ts';

/** The places that DuckDB reads a source from; an API is asked by ourselves. */
export const fileLocations = (source: CostSource): string[] => {
  switch (source.kind) {
    case 'opencost':
      return [source.location, source.options.assets_location ?? ''].filter(
        (location) => location !== '' && !isApiLocation(location),
      );
    case 'ai_tools':
      return [source.location, source.options.usage_location];
    default:
      return [source.location];
  }
};

/** What a source is read with. */
export interface SourceReading {
  session: Session;
  scope: LoadScope;
  /** The organisation's currency. */
  currency: string;
  rules: SourceRules;
  attempt: Attempt;
}

/** Reads a source of any kind and publishes its loads (design §4). */
export const loadSource = (source: CostSource, reading: SourceReading): Promise<LoadResult> => {
  switch (source.kind) {
    case 'focus':
      return loadFocusSource(source, reading);
    case 'opencost':
      return loadOpenCostSource(reading.session, source, reading.scope, reading.attempt, reading.rules);
    case 'hosts':
      return loadHostsSource(source, reading);
    case 'ai_tools':
      return loadAiToolsSource(source, reading);
  }
};

const loadFocusSource = async (
  { location, options }: CostSourceOf<'focus'>,
  { session, scope, currency, rules, attempt }: SourceReading,
): Promise<LoadResult> => {
  const costColumn = options.cost_column;
  const { files, notes } = await readableFiles(session, location, rules, (file) =>
    missingColumns(file, costColumn),
  );
  const load = { ...scope, files, costColumn, currency };
  return withNotes(notes, await loadFocusExport(session, load, attempt.isCurrent));
};

const loadHostsSource = async (
  { location }: CostSourceOf<'hosts'>,
  { session, scope, rules, attempt }: SourceReading,
): Promise<LoadResult> => {
  const { files, notes } = await readableFiles(session, location, rules, missingHostColumns);
  return withNotes(notes, await loadHosts(session, scope, files, attempt.isCurrent));
};

const loadAiToolsSource = async (
  { location, options }: CostSourceOf<'ai_tools'>,
  { session, scope, rules, attempt }: SourceReading,
): Promise<LoadResult> => {
  const spend = await readableFiles(session, location, rules, missingAiSpendColumns);
  const usage = await readableFiles(
    session,
    options.usage_location,
    rules,
    missingAiUsageColumns,
    'options.usage_location',
  );
  const files = { spend: spend.files, usage: usage.files };
  return withNotes(
    [...spend.notes, ...usage.notes],
    await loadAiTools(session, scope, files, attempt.isCurrent),
  );
};

const withNotes = (notes: readonly string[], result: LoadResult): LoadResult => ({
  ...result,
  notes: [...notes, ...result.notes],
});
