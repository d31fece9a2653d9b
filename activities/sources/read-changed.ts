import { afterSomeMonths } from '../../domain/sources/readings/after-some-months.ts';
import { ReadingPlan, type Found } from '../../domain/sources/readings/reading-plan.ts';
import type { ReadingRecord } from '../../domain/sources/readings/reading-record.ts';
import { WiderReading } from '../../domain/sources/readings/wider-reading.ts';
import type { ExportFile } from '../../warehouse/sources/feeds/export-files.ts';
import type { ExportPart } from '../../warehouse/sources/focus/focus-load.ts';
import { readPeriods } from '../../warehouse/sources/publishing/last-reading.ts';
import type { StagedLoad } from '../../warehouse/sources/publishing/load.ts';
import type { Reading, SourceReading } from './reading.ts';
import { noRows, type HowRead, type ListedFile, type Missing, type ReadFiles } from './source-files.ts';

/** The bills of a location. */
interface ChangedBills extends Pick<HowRead, 'choose' | 'telling'> {
  location: string;
  missing: Missing;
  /** Returns the files that can count by their names alone, and whether all must be read to decide about them. */
  sets?: ((files: readonly ListedFile[]) => ListedSets) | undefined;
}

interface ListedSets {
  files: readonly ListedFile[];
  notes: readonly string[];
  isWhole: boolean;
}

const NOTHING: Found = { periodsOf: new Map(), periods: [], isWhole: false };

/**
 * Reads the billing periods of a bill in files of which something has changed, and stages their rows.
 */
export async function readChangedBills(
  reading: Reading,
  { location, missing, sets, ...how }: ChangedBills,
  stage: Stage,
): Promise<SourceReading> {
  const { files } = reading;
  const listed = await files.list('location', location);
  const ofSet = sets?.(listed.files) ?? { files: listed.files, notes: [], isWhole: false };
  files.note(ofSet.notes);
  const bill: ChangedBill = {
    present: ofSet.files,
    isWhole: ofSet.isWhole,
    read: (some) => files.read(listed, some, missing, how),
    nothing: () => noRows('location', location),
  };
  return readChanged(reading, bill, stage);
}

/** A bill, and how parts of it are read. */
interface ChangedBill {
  /** All that the bill consists of now. */
  present: readonly ListedFile[];
  /** Whether a change of one part means to read all. */
  isWhole: boolean;
  read: (some: readonly ListedFile[]) => Promise<ReadFiles>;
  /** The error for a bill without a row. */
  nothing: () => Error;
}

type Stage = (files: ExportFile[], part: ExportPart) => Promise<StagedLoad & { found: Found }>;

/**
 * Reads the billing periods of a bill of which something has changed (docs/data-formats.md#what-a-run-reads), and stages their
 * rows. Begins again with more if what it reads shares a period with others.
 */
export async function readChanged(reading: Reading, bill: ChangedBill, stage: Stage): Promise<SourceReading> {
  const { files } = reading;
  const plan = planOf(reading, bill.present, bill.isWhole);
  const recordOf = (found: Found): ReadingRecord | null => recordAfter(reading, plan, bill.present, found);
  if (plan.read.length === 0)
    return { staged: null, record: plan.isStale && !isOfMonths(reading) ? recordOf(NOTHING) : null };
  for (;;) {
    files.beginAgain();
    const some = plan.read;
    const read = await bill.read(some);
    if (read.files.length === 0) {
      if (some.length === bill.present.length) throw bill.nothing();
      return { staged: null, record: recordOf(NOTHING) };
    }
    const wider = (found: Pick<Found, 'periods' | 'isWhole'>): boolean =>
      plan.widen({ ...found, isWhole: found.isWhole || read.isWhole || bill.isWhole });
    try {
      const { found, ...staged } = await stage(read.files, {
        others: plan.others,
        check: (part) => {
          if (wider(part)) throw new WiderReading();
        },
      });
      const periodsOf = new Map(found.periodsOf);
      for (const [copy, others] of read.copies)
        periodsOf.set(copy, [...new Set(others.flatMap((path) => found.periodsOf.get(path) ?? []))]);
      const named = new Map(some.map(({ path, name }) => [name, periodsOf.get(path) ?? []]));
      const isWhole = found.isWhole || read.isWhole || bill.isWhole;
      return { staged, record: recordOf({ periods: found.periods, periodsOf: named, isWhole }) };
    } catch (error) {
      if (!(error instanceof WiderReading)) throw error;
    }
  }
}

/** A location of a source, and the mandatory columns that a file of it lacks. */
interface Feed {
  field: string;
  location: string;
  missing: Missing;
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
  const present = listed.flatMap((one) => one.files);
  const plan = planOf(reading, present);
  if (plan.read.length === 0) return { staged: null, record: null };
  const read = [];
  for (const [at, { field, location, missing }] of feeds.entries()) {
    const of = listed[at];
    const other = feeds.find((feed) => feed.field !== field);
    const { files: some } =
      of === undefined ? { files: [] } : await files.read(of, of.files, missing, { other });
    if (some.length === 0) throw noRows(field, location);
    read.push(some);
  }
  const staged = await stage(read as { [At in keyof Feeds]: ExportFile[] });
  const periods = await readPeriods(sessions.session);
  const found = { periodsOf: new Map(), periods, isWhole: true };
  return { staged, record: recordAfter(reading, plan, present, found) };
}

/**
 * A run of some months reads all files if anything has changed, and other months stay to be read.
 *
 * @param isWhole whether a change of one file means to read all.
 */
function planOf(reading: Reading, present: readonly ListedFile[], isWhole = false): ReadingPlan<ListedFile> {
  const { since, state, readAll } = reading.continued;
  const all = (): ReadingPlan<ListedFile> => new ReadingPlan(null, present, state);
  if (readAll) return all();
  const plan = new ReadingPlan(since?.record ?? null, present, state);
  return (isWhole || isOfMonths(reading)) && plan.read.length > 0 ? all() : plan;
}

/** Returns what to record of a reading; null for the first one if it is of some months. */
function recordAfter(
  reading: Reading,
  plan: ReadingPlan<ListedFile>,
  present: readonly ListedFile[],
  found: Found,
): ReadingRecord | null {
  if (!isOfMonths(reading)) return plan.record(found);
  const { since } = reading.continued;
  return since === null ? null : afterSomeMonths(since.record, present, found.periodsOf);
}

const isOfMonths = ({ load: { startMonth, endMonth } }: Reading): boolean =>
  startMonth !== null || endMonth !== null;
