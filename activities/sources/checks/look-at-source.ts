import { randomUUID } from 'node:crypto';
import type { BillSample } from '../../../domain/sources/checks/bill-findings.ts';
import type { Credentials } from '../../../domain/sources/credentials.ts';
import { KINDS } from '../../../domain/sources/kinds.ts';
import type { Buckets, OperatorBuckets } from '../../../domain/sources/exports/object-storage.ts';
import { refuseTable } from '../../../domain/sources/table-location.ts';
import { openedBuckets } from '../../../egress/buckets/opened-buckets.ts';
import { isRemote } from '../../../egress/locations/remote-file.ts';
import type { SourceRules } from '../../../egress/locations/source-rules.ts';
import { withOwnReader, type LoadSessions } from '../../../warehouse/engine/readers/load-sessions.ts';
import type { Statements } from '../../../warehouse/engine/session.ts';
import type { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { sampleBill } from '../../../warehouse/sources/focus/bill-sample.ts';
import { readGroups, type ReadGroups } from '../../../warehouse/sources/checks/read-groups.ts';
import { rehearsedFacts, type RehearsedFacts } from '../../../warehouse/sources/checks/rehearsed-facts.ts';
import type { CostSource } from '../../../warehouse/sources/cost-sources.ts';
import { fileLocations, locationsOf } from '../../../warehouse/sources/file-locations.ts';
import { beginLoad, NOTHING_LOADED, type LoadResult } from '../../../warehouse/sources/publishing/load.ts';
import { publishLoad } from '../../../warehouse/sources/publishing/publish-load.ts';
import { besideOthers, type BesideOthers } from '../../../warehouse/spend/checks/beside-others.ts';
import { readSource } from '../read-source.ts';
import { readingState } from '../reading-state.ts';
import { sentFiles } from '../sent-files.ts';
import { withSourceFiles, type ListedFile, type SourceFiles } from '../source-files.ts';
import { billFileOf } from './bill-file-of.ts';
import { newestFiles, newestFirst } from './newest-files.ts';
import { withRehearsal, type ToRehearse } from './rehearsal.ts';

/** What a look at a source needs. */
export interface Looking extends ToRehearse {
  warehouse: Warehouse;
  credentials: Credentials | null;
  rules: SourceRules;
  /** The operator's own credentials for buckets. */
  operatorBuckets: OperatorBuckets;
  /** The setting BIGQUERY_API_ENDPOINT. */
  bigQueryEndpoint?: string | undefined;
  /** Lets a reader open remote locations, through the guarded proxy. */
  openRemoteFiles: (
    reader: Statements,
    remote: { locations: readonly string[]; buckets: Buckets },
  ) => Promise<void>;
  /** How much is read: so many bytes of CSV. */
  mostBytes: number;
  /** Ends the look. What it has found until then stays. */
  signal: AbortSignal;
}

/** What a look has found. It is filled while it goes on, because it may fail or be ended. */
export interface Look {
  listed: SourceFiles['listed'];
  copies: SourceFiles['copies'];
  scopes: readonly string[];
  sample: BillSample | null;
  /** What was read of a bill whose reading failed. */
  groups: ReadGroups | null;
  load: LoadResult | null;
  facts: RehearsedFacts | null;
  beside: BesideOthers | null;
}

export const newLook = (): Look => ({
  listed: [],
  copies: { copies: new Map(), notes: [] },
  scopes: [],
  sample: null,
  groups: null,
  load: null,
  facts: null,
  beside: null,
});

/** The days that an API is asked for. The newest can be empty yet. */
const NEWEST_DAYS = 3;

/** The billing periods of a table that are read. Each is a query that is billed. */
const NEWEST_PERIODS = 2;

/**
 * Reads a source as an ingest does, into a warehouse that nobody else sees, and compares it with the connected sources.
 *
 * @throws what an ingest throws.
 */
export async function lookAtSource(looking: Looking, look: Look): Promise<void> {
  const { warehouse, signal } = looking;
  for (const at of locationsOf(looking.source)) refuseTable(looking.source.kind, at);
  await withOwnReader(warehouse.settings, ({ reader, folder }) =>
    withRehearsal(warehouse.settings, folder, looking, (session, source) =>
      endedBy(signal, [reader, session], async () => {
        const buckets = await bucketsOf(looking);
        const remote = fileLocations(source.kind, source).filter(({ location }) => isRemote(location));
        if (remote.length > 0)
          await looking.openRemoteFiles(reader, {
            locations: remote.map(({ location }) => location),
            buckets,
          });
        const sessions = { reader, session, folder };
        look.load = await readFiles(source, { ...looking, buckets }, sessions, look);
        const ids = { orgId: looking.organisation.id, sourceId: source.id };
        look.facts = await rehearsedFacts(session, { ...ids, kind: source.kind });
        const { lastDay } = look.facts;
        if (lastDay === null) return;
        look.beside = await warehouse.ownSession((own) =>
          endedBy(signal, [own], () =>
            besideOthers({ rehearsal: session, session: own, folder, ...ids }, lastDay),
          ),
        );
      }),
    ),
  );
}

/** Returns what opens the buckets of the source. */
const bucketsOf = ({
  operatorBuckets,
  credentials,
  organisation,
  rules: { privateTargets },
  signal,
}: Looking): Promise<Buckets> =>
  openedBuckets(operatorBuckets, credentials, organisation.id, {
    privateTargets,
    field: 'credentials',
    signal,
  });

/** Reads the source into the rehearsal's warehouse. */
async function readFiles(
  source: CostSource,
  looking: Looking & { buckets: Buckets },
  sessions: LoadSessions,
  look: Look,
): Promise<LoadResult> {
  const { organisation, credentials, rules, buckets, bigQueryEndpoint, now, mostBytes, signal } = looking;
  const { reader, session } = sessions;
  const { currency } = organisation;
  const only = (files: readonly ListedFile[]): ListedFile[] => newestFiles(files, mostBytes);
  const load = await beginLoad(session, {
    orgId: organisation.id,
    sourceId: source.id,
    runId: `run_${randomUUID()}`,
    startMonth: null,
    endMonth: null,
    acceptShrink: false,
    now,
  });
  const state = await readingState(session, source, currency, load);
  const access = { reader, rules, buckets, sent: sentFiles(sessions, load), now, signal, only };
  return withSourceFiles(access, async (files) => {
    try {
      const attempt = { refuseStale: () => undefined, signal, report: () => undefined };
      const given = {
        files,
        currency,
        rules,
        credentials,
        bigQueryEndpoint,
        attempt,
        newestDays: NEWEST_DAYS,
        newestPeriods: NEWEST_PERIODS,
      };
      const continued = { since: null, state, readAll: true };
      const reading = { sessions, load, ...given, continued };
      const { staged } = await readSource(source, reading);
      const read = staged === null ? NOTHING_LOADED : await publishLoad(session, staged);
      await sampleFiles(source, files, { reader, currency }, look);
      return { ...read, notes: [...files.notes, ...read.notes] };
    } catch (error) {
      signal.throwIfAborted();
      // What cannot be sampled has failed for the same reason.
      await Promise.allSettled([sampleFiles(source, files, { reader, currency }, look)]);
      await Promise.allSettled([keepGroups(source, reader, look)]);
      throw error;
    } finally {
      look.listed = files.listed;
      look.copies = files.copies;
      look.scopes = files.scopes;
    }
  });
}

/** Some of the newest files. The largest of them shows best how an export writes its rows. */
const SAMPLED = 10;

/** Keeps what a reader has read of a bill whose reading failed. */
async function keepGroups({ kind }: CostSource, reader: Statements, look: Look): Promise<void> {
  if (KINDS[kind].spend === 'cloud') look.groups = await readGroups(reader);
}

/** Looks at a new file of a bill, whether it could be read or not. */
async function sampleFiles(
  source: CostSource,
  { described, listed }: SourceFiles,
  { reader, currency }: { reader: Statements; currency: string },
  look: Look,
): Promise<void> {
  if (KINDS[source.kind].spend !== 'cloud') return;
  const largest = newestFirst(listed)
    .filter(({ isRead }) => isRead)
    .slice(0, SAMPLED)
    .reduce<ListedFile | null>((one, other) => ((one?.bytes ?? -1) < (other.bytes ?? 0) ? other : one), null);
  const file = described.find(({ path }) => path === largest?.path) ?? described[0];
  if (file !== undefined) look.sample = await sampleBill(reader, billFileOf(source, file, currency));
}

/** Interrupts the statements of sessions once a signal aborts, and then throws its reason. */
async function endedBy<Result>(
  signal: AbortSignal,
  sessions: readonly Pick<Statements, 'interrupt'>[],
  work: () => Promise<Result>,
): Promise<Result> {
  const stop = (): void => {
    for (const session of sessions) session.interrupt();
  };
  signal.throwIfAborted();
  signal.addEventListener('abort', stop);
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
