import { ReadingPlan, type Found } from '../../domain/sources/readings/reading-plan.ts';
import type { ReadingRecord } from '../../domain/sources/readings/reading-record.ts';
import { WiderReading } from '../../domain/sources/readings/wider-reading.ts';
import type { ExportFile } from '../../warehouse/sources/feeds/export-files.ts';
import type { ExportPart } from '../../warehouse/sources/focus/focus-load.ts';
import { readPeriods } from '../../warehouse/sources/publishing/last-reading.ts';
import type { StagedLoad } from '../../warehouse/sources/publishing/load.ts';
import type { Reading, SourceReading } from './reading.ts';
import { everyFileEmpty, type ListedFile, type ReadFiles } from './source-files.ts';

const NOTHING: Found = { periodsOf: new Map(), periods: [], isWhole: false };

type Stage = (files: ExportFile[], part: ExportPart) => Promise<StagedLoad & { found: Found }>;

/**
 * Reads the billing periods of a bill in files of which something has changed, and stages their rows.
 *
 * @param missing returns the mandatory columns that a file lacks.
 */
export async function readChangedBills(
  reading: Reading,
  location: string,
  missing: (file: ExportFile) => string[],
  stage: Stage,
): Promise<SourceReading> {
  const { files } = reading;
  const listed = await files.list('location', location);
  return readChanged(reading, listed.files, (some) => files.read(listed, some, missing), stage);
}

/**
 * Reads what has changed of a bill (docs/data-formats.md#what-a-run-reads), and stages its rows. Begins again with more if what it
 * reads shares a billing period with the rest.
 *
 * @param present all that the bill consists of now.
 * @param read makes files of some of it. Their paths are those of what they were made of.
 */
async function readChanged(
  reading: Reading,
  present: readonly ListedFile[],
  read: (some: readonly ListedFile[]) => Promise<ReadFiles>,
  stage: Stage,
): Promise<SourceReading> {
  const plan = planOf(reading, present);
  const recordOf = (found: Found): ReadingRecord | null => (isOfMonths(reading) ? null : plan.record(found));
  if (plan.read.length === 0) return { staged: null, record: plan.isStale ? recordOf(NOTHING) : null };
  for (;;) {
    reading.files.beginAgain();
    const some = plan.read;
    const { files, copies, isWhole } = await read(some);
    if (files.length === 0) {
      if (some.length === present.length) throw everyFileEmpty('location');
      return { staged: null, record: recordOf(NOTHING) };
    }
    try {
      const { found, ...staged } = await stage(files, {
        others: plan.others,
        check: (part) => {
          if (plan.widen({ ...part, isWhole: part.isWhole || isWhole })) throw new WiderReading();
        },
      });
      const periodsOf = new Map(found.periodsOf);
      for (const [copy, others] of copies)
        periodsOf.set(copy, [...new Set(others.flatMap((path) => found.periodsOf.get(path) ?? []))]);
      const named = new Map(some.map(({ path, name }) => [name, periodsOf.get(path) ?? []]));
      const { periods } = found;
      return {
        staged,
        record: recordOf({ periods, periodsOf: named, isWhole: found.isWhole || isWhole }),
      };
    } catch (error) {
      if (!(error instanceof WiderReading)) throw error;
    }
  }
}

/** A location of a source, and the mandatory columns that a file of it lacks. */
interface Feed {
  field: string;
  location: string;
  missing: (file: ExportFile) => string[];
}

/** Reads all files of a source's feeds, if one of them has changed. Their loads keep days of each other. */
export async function readIfChanged<Feeds extends readonly Feed[]>(
  reading: Reading,
  feeds: Feeds,
  stage: (files: { [At in keyof Feeds]: ExportFile[] }) => Promise<StagedLoad>,
): Promise<SourceReading> {
  const { files, sessions } = reading;
  const listed = [];
  for (const { field, location } of feeds) listed.push(await files.list(field, location));
  const plan = planOf(
    reading,
    listed.flatMap((one) => one.files),
  );
  if (plan.read.length === 0) return { staged: null, record: null };
  const read = [];
  for (const [at, { field, missing }] of feeds.entries()) {
    const of = listed[at];
    const { files: some } = of === undefined ? { files: [] } : await files.read(of, of.files, missing);
    if (some.length === 0) throw everyFileEmpty(field);
    read.push(some);
  }
  const staged = await stage(read as { [At in keyof Feeds]: ExportFile[] });
  if (isOfMonths(reading)) return { staged, record: null };
  const periods = await readPeriods(sessions.session);
  return { staged, record: plan.record({ periodsOf: new Map(), periods, isWhole: true }) };
}

/** A run of some months reads all files if anything has changed, and records nothing, so that other months stay to be read. */
function planOf(reading: Reading, present: readonly ListedFile[]): ReadingPlan<ListedFile> {
  const { since, state, readAll } = reading.continued;
  const all = (): ReadingPlan<ListedFile> => new ReadingPlan(null, present, state);
  if (readAll) return all();
  const plan = new ReadingPlan(since?.record ?? null, present, state);
  return isOfMonths(reading) && plan.read.length > 0 ? all() : plan;
}

const isOfMonths = ({ load: { startMonth, endMonth } }: Reading): boolean =>
  startMonth !== null || endMonth !== null;
