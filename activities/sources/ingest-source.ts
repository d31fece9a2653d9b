import type { Credentials } from '../../domain/sources/credentials.ts';
import type { Buckets } from '../../domain/sources/exports/object-storage.ts';
import type { SourceRules } from '../../egress/locations/source-rules.ts';
import type { LoadSessions } from '../../warehouse/engine/readers/load-sessions.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import type { CostSource } from '../../warehouse/sources/cost-sources.ts';
import { lastReading, storeReading } from '../../warehouse/sources/publishing/last-reading.ts';
import {
  beginLoad,
  type FileCounts,
  NOTHING_LOADED,
  type LoadResult,
  type LoadScope,
} from '../../warehouse/sources/publishing/load.ts';
import { publishLoad } from '../../warehouse/sources/publishing/publish-load.ts';
import { publishComputed } from '../../warehouse/spend/compute-spend.ts';
import type { Attempt } from '../shared/with-heartbeats.ts';
import { readSource } from './read-source.ts';
import { readingState } from './reading-state.ts';
import { sentFiles } from './sent-files.ts';
import { withSourceFiles } from './source-files.ts';

/** What an attempt to ingest a source needs. */
export interface Ingest {
  warehouse: Warehouse;
  sessions: LoadSessions;
  scope: LoadScope;
  /** The organisation's currency. */
  currency: string;
  rules: SourceRules;
  /** The source's own; null without any. */
  credentials: Credentials | null;
  /** What opens the buckets of the source. */
  buckets: Buckets;
  /** Whether files that have not changed are read, too. */
  readAll?: boolean;
  attempt: Attempt;
  /** The setting BIGQUERY_API_ENDPOINT. */
  bigQueryEndpoint?: string | undefined;
}

/** What an ingest has loaded. If it had nothing to read, it has no months. */
export type IngestResult = LoadResult & FileCounts;

/**
 * Ingests a source of any kind: reads what has changed and stages its rows, then publishes its loads with the months that they
 * change (docs/data-formats.md#what-a-run-reads). Nobody sees a row before, so that a crash or a rejection changes nothing. A
 * second ingest of the same data reads nothing, and with `readAll` replaces the first with the same numbers.
 *
 * @throws ServiceError `invalid` for data that cannot be loaded, and if a file has changed while it was read.
 */
export function ingestSource(source: CostSource, ingest: Ingest): Promise<IngestResult> {
  const {
    warehouse,
    sessions,
    scope,
    currency,
    rules,
    credentials,
    buckets,
    readAll = false,
    attempt,
    bigQueryEndpoint,
  } = ingest;
  const { reader, session } = sessions;
  const access = {
    reader,
    rules,
    buckets,
    sent: sentFiles(sessions, scope),
    now: scope.now,
    signal: attempt.signal,
  };
  return withSourceFiles(access, async (files) => {
    const load = await beginLoad(session, scope);
    const since = await lastReading(session, load);
    const { staged, record } = await readSource(source, {
      sessions,
      load,
      files,
      currency,
      rules,
      credentials,
      attempt,
      bigQueryEndpoint,
      continued: {
        since,
        state: await readingState(session, source, currency, load),
        // Days that files lack may go only if they are read.
        readAll: readAll || load.acceptShrink,
      },
    });
    // Before the lock, which other loads of the organisation may hold for long.
    await files.refuseChanged();
    const publish = async (): Promise<LoadResult | null> => {
      attempt.refuseStale();
      if (record !== null) await storeReading(session, load, { record, since });
      return staged === null ? null : publishLoad(session, staged);
    };
    const published =
      staged === null
        ? await session.transaction(publish)
        : await publishComputed(warehouse, session, scope, publish);
    return {
      ...(published ?? NOTHING_LOADED),
      ...files.counts,
      notes: [...files.notes, ...(published?.notes ?? [])],
    };
  });
}
