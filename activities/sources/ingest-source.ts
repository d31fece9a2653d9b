import type { Credentials } from '../../domain/sources/credentials.ts';
import type { Buckets } from '../../domain/sources/exports/object-storage.ts';
import type { SourceRules } from '../../egress/locations/source-rules.ts';
import type { LoadSessions } from '../../warehouse/engine/readers/load-sessions.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import type { CostSource } from '../../warehouse/sources/cost-sources.ts';
import { beginLoad, type LoadResult, type LoadScope } from '../../warehouse/sources/publishing/load.ts';
import { publishLoad } from '../../warehouse/sources/publishing/publish-load.ts';
import { publishComputed } from '../../warehouse/spend/compute-spend.ts';
import type { Attempt } from '../shared/with-heartbeats.ts';
import { readSource } from './read-source.ts';
import { writeSentFiles } from './sent-files.ts';
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
  attempt: Attempt;
  /** The setting BIGQUERY_API_ENDPOINT. */
  bigQueryEndpoint?: string | undefined;
}

/**
 * Ingests a source of any kind: reads and stages its rows, then publishes its loads with the months that they change
 * (docs/data-formats.md#what-a-run-replaces). Nobody sees a row before, so that a crash or a rejection changes nothing. A second
 * ingest of the same data replaces the first with the same numbers.
 *
 * @throws ServiceError `invalid` for data that cannot be loaded, and if a file has changed while it was read.
 */
export function ingestSource(source: CostSource, ingest: Ingest): Promise<LoadResult> {
  const { warehouse, sessions, scope, currency, rules, credentials, buckets, attempt, bigQueryEndpoint } =
    ingest;
  const { reader, session } = sessions;
  const access = {
    reader,
    rules,
    buckets,
    sentFiles: (field: string) => writeSentFiles(sessions, scope, field),
    now: scope.now,
    signal: attempt.signal,
  };
  return withSourceFiles(access, async (files) => {
    const load = await beginLoad(session, scope);
    const reading = { sessions, load, files, currency, rules, credentials, attempt, bigQueryEndpoint };
    const staged = await readSource(source, reading);
    // Before the lock, which other loads of the organisation may hold for long.
    await files.refuseChanged();
    const published = await publishComputed(warehouse, session, scope, async () => {
      attempt.refuseStale();
      return publishLoad(session, staged);
    });
    return { ...published, notes: [...files.notes, ...published.notes] };
  });
}
