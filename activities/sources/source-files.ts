import { dayOf, type Day, type Month } from '../../domain/shared/calendar.ts';
import { invalid } from '../../domain/shared/errors.ts';
import { firstAndMore } from '../../domain/shared/text/for-message.ts';
import { otherSeparator } from '../../domain/sources/exports/other-separator.ts';
import {
  describeCsv,
  describeParquet,
  formatOf,
  withoutQuery,
  type ExportColumn,
  type ExportFile,
} from '../../warehouse/sources/feeds/export-files.ts';
import type { FileCounts } from '../../warehouse/sources/publishing/load.ts';
import { RejectedFeed, type FeedCounts } from '../../warehouse/sources/feeds/read-feed.ts';
import { HeldFiles } from '../../egress/locations/held-files.ts';
import type { BucketRules } from '../../egress/buckets/list-bucket.ts';
import type { Reader } from '../../warehouse/engine/readers/reader.ts';
import { costSetOf, type CostSet } from '../../domain/sources/exports/cost-set.ts';
import type { Buckets } from '../../domain/sources/exports/object-storage.ts';
import type { SourceRules } from '../../egress/locations/source-rules.ts';
import { systemClock } from '../../domain/shared/clock.ts';
import { UPLOAD } from '../../domain/sources/uploads/uploaded-name.ts';
import { dayWritten } from '../../domain/sources/exports/day-written.ts';
import type { Readable } from '../../domain/sources/readings/reading-record.ts';
import type { TellingColumns } from '../../warehouse/sources/feeds/copies/common-rows.ts';
import { leaveOutCopies, type WithoutCopies } from '../../warehouse/sources/feeds/copies/leave-out-copies.ts';
import { withoutCredentials } from '../../warehouse/sources/publishing/load-files.ts';
import type { UploadedFile } from '../../warehouse/sources/uploads/uploaded-files.ts';
import { exportFiles, type LocationFiles } from './export-location.ts';
import type { SentFiles } from './sent-files.ts';
import {
  readCsvHeader,
  refuseChangedFiles,
  rowCounter,
  versionsOf,
  type FileVersions,
} from './whole-files.ts';

const MOST_NOTES = 50;

/** Returns the mandatory columns that a file lacks. */
export type Missing = (file: ExportFile) => string[];

/** Another feed of a source: its location, and the mandatory columns that a file lacks for it. */
interface OtherFeed {
  location: string | undefined;
  missing: Missing;
}

/** How files are found and opened. */
interface Access {
  reader: Reader;
  rules: SourceRules;
  /** What opens the buckets of the source. */
  buckets: Buckets;
  sent: SentFiles;
  now: Date;
  signal: AbortSignal;
  /** Returns which of the files of a location are read, by default all. */
  only?: (files: readonly ListedFile[]) => ListedFile[];
}

/**
 * Runs `work` with the files of a source. Local files stay open until it has ended. Results and errors name the files as their
 * owner does.
 */
export async function withSourceFiles<Result extends FeedCounts>(
  access: Access,
  work: (files: SourceFiles) => Promise<Result>,
): Promise<Result> {
  const held = new HeldFiles();
  const named = <Counts extends FeedCounts>(counts: Counts): Counts => ({
    ...counts,
    rejectedSamples: counts.rejectedSamples.map(({ file, ...sample }) => ({
      ...sample,
      file: file === null ? null : held.named(file),
    })),
  });
  try {
    return named(await work(new SourceFiles(access, held)));
  } catch (error) {
    if (error instanceof RejectedFeed) throw new RejectedFeed(held.named(error.message), named(error.counts));
    if (error instanceof Error) error.message = held.named(error.message);
    throw error;
  } finally {
    await held.release();
  }
}

/** A current file of a location, as it was listed. */
export interface ListedFile extends Readable {
  path: string;
  /** The set of Azure's costs that it has, if its manifest or its name says so. */
  costSet?: CostSet;
  /** The file that somebody has sent; absent for any other. */
  sent?: UploadedFile;
  /** The billing period of a table that it stands for; absent for a file. */
  period?: { month: Month | null; firstDay: Day | null };
}

/** The current files of a location. None of them is opened to read. */
export interface ListedFiles {
  files: ListedFile[];
  current: Pick<LocationFiles, 'deliveries' | 'submitted'>;
  rules: BucketRules;
}

/** Returns the files that count among those of a location, and notes on the others. */
type ChooseFiles = (
  files: readonly ExportFile[],
  reader: Reader,
) => Promise<{ files: readonly ExportFile[]; notes: string[] }>;

const NO_COPIES: WithoutCopies = { files: [], notes: [], copies: new Map(), isWhole: false };

const ALL: ChooseFiles = (files) => Promise.resolve({ files, notes: [] });

/** How files are read beside their mandatory columns. */
export interface HowRead {
  /** The other feed of the source. A sent file that only the other feed can read is left to it. */
  other?: OtherFeed | undefined;
  /** Leaves out files that report the same charges in another way, with notes. */
  choose?: ChooseFiles | undefined;
  /** The columns that tell rows apart, of files that are not in FOCUS. */
  telling?: TellingColumns | undefined;
}

/** Files that are read. */
export interface ReadFiles {
  files: ExportFile[];
  /** The files that were left out, each with those that have its rows, by path. */
  copies: WithoutCopies['copies'];
  /** Whether other files of the source could decide otherwise. */
  isWhole: boolean;
}

/** The files of a source that an ingest reads. */
export class SourceFiles {
  readonly #access: Access;
  readonly #held: HeldFiles;
  readonly #versions: { versions: FileVersions; rules: BucketRules }[] = [];
  readonly #listed = new Map<string, ListedFile>();
  readonly #read = new Map<string, ListedFile>();
  #listingNotes: string[] = [];
  #readingNotes: string[] = [];
  readonly #described: ExportFile[] = [];
  readonly #scopes: string[] = [];
  #copies: WithoutCopies = NO_COPIES;

  constructor(access: Access, held: HeldFiles) {
    this.#access = access;
    this.#held = held;
  }

  /** What people should know about files that were left out. */
  get notes(): readonly string[] {
    return firstAndMore([...this.#listingNotes, ...this.#readingNotes], MOST_NOTES);
  }

  /** How many files the ingest has read, with their bytes, and how many it did not need to read. */
  get counts(): FileCounts {
    return {
      filesRead: this.#read.size,
      filesUnchanged: this.#listed.size - this.#read.size,
      bytesRead: [...this.#read.values()].reduce((sum, { bytes }) => sum + (bytes ?? 0), 0),
    };
  }

  /** All current files of the locations, and whether each was read. */
  get listed(): (ListedFile & { isRead: boolean })[] {
    return [...this.#listed.values()].map((file) => ({ ...file, isRead: this.#read.has(file.path) }));
  }

  /** The files whose columns were read. */
  get described(): readonly ExportFile[] {
    return this.#described;
  }

  /** What the deliveries report on, if their manifests say so. */
  get scopes(): readonly string[] {
    return this.#scopes;
  }

  /** What the reading of the last location has left out, because other files have its rows. */
  get copies(): Pick<WithoutCopies, 'copies' | 'notes'> {
    return this.#copies;
  }

  /**
   * Lists the current files of a location, with their versions. Throws `invalid` if there is no file.
   *
   * @param field the field of the source that holds the location.
   */
  async list(field: string, location: string): Promise<ListedFiles> {
    const { privateTargets } = this.#access.rules;
    const rules = { privateTargets, buckets: this.#access.buckets, field, signal: this.#access.signal };
    const { files, current, notes } =
      location === UPLOAD ? await this.#sent(field) : await this.#at(field, location, rules);
    for (const file of files) this.#listed.set(file.path, file);
    this.#listingNotes.push(...notes);
    this.#scopes.push(...current.deliveries.flatMap(({ scope }) => scope ?? []));
    return { files: this.#access.only?.(files) ?? files, current, rules };
  }

  /** Lists the files of a place. */
  async #at(field: string, location: string, rules: BucketRules) {
    const { reader, rules: sourceRules, buckets, now, signal } = this.#access;
    const current = await exportFiles(reader, location, sourceRules, this.#held, {
      now,
      field,
      signal,
      buckets,
    });
    refuseOtherFormats(current.files, field);
    const versions = await versionsOf(current.files, rules, this.#held);
    const deliveries = new Map(
      current.deliveries.flatMap(({ files, ...delivery }) => files.map((path) => [path, delivery])),
    );
    const files = current.files.map((path): ListedFile => {
      const {
        version = null,
        isUncertain = false,
        writtenAt = null,
        bytes = null,
      } = versions.get(path) ?? {};
      const { name, from, to, scope, costSet = null } = deliveries.get(path) ?? {};
      // The same bytes, written on a later day, say that the days before are whole.
      const writtenOn = writtenAt === null ? undefined : dayOf(new Date(writtenAt));
      const submitted = current.submitted.get(path);
      const told = [version, writtenOn, submitted, name === path ? undefined : name, from, to, scope];
      return {
        path,
        name: withoutCredentials(path),
        version: version === null || isUncertain ? null : told.filter((part) => part != null).join(' '),
        writtenAt,
        bytes,
        ...(costSet === null ? {} : { costSet }),
      };
    });
    return { files, current, notes: current.notes };
  }

  /** Lists the files that people have sent. */
  async #sent(field: string) {
    const { sent } = this.#access;
    this.#held.call(sent.folder, UPLOAD);
    const files = (await sent.list()).map((file): ListedFile => {
      const path = `${UPLOAD}/${file.file_name}`;
      const { id: version, bytes } = file.content;
      const costSet = costSetOf(null, path);
      return {
        path,
        name: path,
        version,
        bytes,
        writtenAt: Date.parse(file.sent_at),
        sent: file,
        ...(costSet === null ? {} : { costSet }),
      };
    });
    if (files.length === 0)
      throw invalid(`${field}: expected at least one sent file, got none: send a file of the source first`);
    const deliveries = files.map(({ path, costSet = null }) => {
      const known = { from: null, to: null, scope: null, costSet };
      return { name: path, files: [path], ...known };
    });
    return { files, current: { deliveries, submitted: new Map<string, number>() }, notes: [] };
  }

  /** Counts the billing periods of a table like files. */
  countListed(periods: readonly ListedFile[]): void {
    for (const period of periods) this.#listed.set(period.path, period);
  }

  /** Counts a billing period of a table that was read. */
  countRead(period: ListedFile): void {
    this.#read.set(period.path, period);
  }

  /** Notes files that were left out by their names alone. */
  note(notes: readonly string[]): void {
    this.#listingNotes.push(...notes);
  }

  /**
   * Returns some listed files, each once and with all mandatory columns. Empty files are left out, and copies of others
   * (leave-out-copies.ts), with a note. Throws `invalid` if one is damaged, or if a header row cannot be read, lacks columns or
   * repeats them.
   *
   * @param missing returns the mandatory columns that a file lacks.
   */
  async read(
    { current, rules }: ListedFiles,
    some: readonly ListedFile[],
    missing: Missing,
    { other, choose = ALL, telling }: HowRead = {},
  ): Promise<ReadFiles> {
    const { reader, now, sent } = this.#access;
    const stored = some.filter((file) => file.sent === undefined).map(({ path }) => path);
    const versions = await versionsOf(stored, rules, this.#held);
    this.#versions.push({ versions, rules });
    const deliveries = new Map(
      current.deliveries.flatMap((delivery) => delivery.files.map((path) => [path, delivery])),
    );
    const files: ExportFile[] = [];
    const notes = [];
    const columnsOfAll = new ColumnsOfFiles();
    for (const listed of some) {
      const { path } = listed;
      this.#read.set(path, listed);
      const opened = listed.sent === undefined ? this.#held.opened(path) : await sent.write(listed.sent);
      const described = await describe(reader, { path, opened }, rules);
      if (described === null) {
        notes.push(`${withoutQuery(path)} is empty and was left out`);
        continue;
      }
      const { name: delivery = path, costSet = null } = deliveries.get(path) ?? {};
      const file = {
        ...columnsOfAll.share(described),
        delivery,
        ...(costSet === null ? {} : { costSet }),
      };
      if (listed.sent !== undefined && isOfOther(file, missing, other)) continue;
      this.#described.push(file);
      refuseColumns(file, missing);
      const writtenOn = dayWritten(
        [
          versions.get(path)?.writtenAt ?? (listed.sent === undefined ? null : listed.writtenAt),
          current.submitted.get(path) ?? null,
        ],
        now,
        systemClock.now(),
      );
      files.push(writtenOn === null ? file : { ...file, writtenOn });
    }
    const chosen = await choose(files, reader);
    const once = await leaveOutCopies(reader, chosen.files, current.deliveries, telling);
    this.#readingNotes.push(...notes, ...chosen.notes, ...once.notes);
    this.#copies = once;
    return once;
  }

  /** Lists and reads all files of a location. Throws `invalid` like both, and if every file is empty. */
  async at(field: string, location: string, missing: Missing, how: HowRead = {}): Promise<ExportFile[]> {
    const listed = await this.list(field, location);
    const { files } = await this.read(listed, listed.files, missing, how);
    if (files.length === 0) throw noRows(field, location);
    return files;
  }

  /** Forgets the notes of a reading that begins again with more files. */
  beginAgain(): void {
    this.#readingNotes = [];
  }

  /** Throws `invalid` if a file has changed since its reading began. */
  async refuseChanged(): Promise<void> {
    for (const { versions, rules } of this.#versions) await refuseChangedFiles(versions, rules);
  }
}

/** Returns the error for a location without a file that can be read. */
export const noRows = (field: string, location: string): Error =>
  invalid(`${field}: ${location === UPLOAD ? 'no sent file has its columns' : 'every file is empty'}`);

/** Returns a file with its columns and, if it is CSV, what counts its rows; null for a CSV file without a header. */
async function describe(
  reader: Reader,
  file: Pick<ExportFile, 'path' | 'opened'>,
  rules: BucketRules,
): Promise<ExportFile | null> {
  if (formatOf(file.path) !== 'csv') return describeParquet(reader, file.path, file.opened);
  // DuckDB's own sniffer rejects a whole file for one broken line, and takes memory for every column.
  const header = await readCsvHeader(file, rules);
  return header === null ? null : describeCsv(file, header, rowCounter(file, rules));
}

/** Returns whether only the other feed can read a sent file. */
const isOfOther = (file: ExportFile, missing: Missing, other: OtherFeed | undefined): boolean =>
  other?.location === UPLOAD && missing(file).length > 0 && other.missing(file).length === 0;

function refuseOtherFormats(paths: readonly string[], field: string): void {
  const other = paths.find((path) => formatOf(path) === null);
  if (other !== undefined)
    throw invalid(
      `${field}: expected .csv, .csv.gz or .parquet files, got ${JSON.stringify(withoutQuery(other))}`,
    );
}

function refuseColumns(file: ExportFile, missing: Missing): void {
  const refuse = (columns: readonly string[], why: string): void => {
    if (columns.length === 0) return;
    throw invalid(
      `${withoutQuery(file.path)}: mandatory column ${columns.join('; ')} ${why}; nothing was loaded`,
    );
  };
  if (file.columns.length === 0)
    throw invalid(`${withoutQuery(file.path)}: its header cannot be read; nothing was loaded`);
  const lacking = missing(file);
  if (lacking.length > 0) refuseSeparator(file, missing);
  refuse(lacking, 'is missing');
  const unambiguous = file.columns.filter(({ isRepeated }) => !isRepeated);
  refuse(missing({ ...file, columns: unambiguous }), 'appears more than once');
}

/** Throws `invalid` for a CSV file whose columns are not separated by commas. */
function refuseSeparator(file: ExportFile, missing: Missing): void {
  if (file.format !== 'csv') return;
  const names = file.columns.map(({ name }) => name);
  const separator = otherSeparator(
    names,
    (others) => missing({ ...file, columns: others.map((name) => ({ name, type: 'VARCHAR' })) }).length,
  );
  if (separator === null) return;
  throw invalid(
    `${withoutQuery(file.path)}: expected commas between the columns, got ${separator}: export the file with commas; nothing was loaded`,
  );
}

/** The most characters that the different headers of a location have together, as JSON. Enough for 4,000 of a hundred columns. */
const MOST_HEADER_CHARACTERS = 16_000_000;

/** The columns of a location's files. Files with the same columns share one list, because there may be thousands. */
class ColumnsOfFiles {
  readonly #known = new Map<string, ExportColumn[]>();
  #characters = 0;

  /**
   * Returns the file with the list of columns that an earlier file with the same columns has. Throws `invalid` if the different
   * headers are too long in all.
   */
  share(file: ExportFile): ExportFile {
    const key = JSON.stringify(file.columns);
    const columns = this.#known.get(key);
    if (columns !== undefined) return { ...file, columns };
    this.#characters += key.length;
    if (this.#characters > MOST_HEADER_CHARACTERS)
      throw invalid(
        `${withoutQuery(file.path)}: expected files with the same columns, got ${this.#known.size + 1} different headers of more than ` +
          `${MOST_HEADER_CHARACTERS} characters in all; nothing was loaded`,
      );
    this.#known.set(key, file.columns);
    return file;
  }
}
