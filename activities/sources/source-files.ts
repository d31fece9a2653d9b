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
import { RejectedFeed, type FeedCounts } from '../../warehouse/sources/feeds/read-feed.ts';
import { HeldFiles } from '../../egress/locations/held-files.ts';
import type { BucketRules } from '../../egress/buckets/list-bucket.ts';
import type { Reader } from '../../warehouse/engine/readers/reader.ts';
import type { Buckets } from '../../domain/sources/exports/object-storage.ts';
import type { SourceRules } from '../../egress/locations/source-rules.ts';
import { systemClock } from '../../domain/shared/clock.ts';
import { UPLOAD } from '../../domain/sources/uploads/uploaded-name.ts';
import { dayWritten } from '../../domain/sources/exports/day-written.ts';
import { leaveOutCopies } from '../../warehouse/sources/feeds/copies/leave-out-copies.ts';
import { exportFiles } from './export-location.ts';
import {
  readCsvHeader,
  refuseChangedFiles,
  rowCounter,
  versionsOf,
  type FileVersions,
} from './whole-files.ts';

const MOST_NOTES = 50;

/** Returns the mandatory columns that a file lacks. */
type Missing = (file: ExportFile) => string[];

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
  /** Writes the files that people have sent for the source to a folder. */
  sentFiles: (field: string) => Promise<string>;
  now: Date;
  signal: AbortSignal;
  /** Returns the paths of the files to read, by default all. */
  choose?: (files: readonly ListedFile[]) => readonly string[];
}

/** A current file of a location, before anything is read of it. */
export interface ListedFile {
  path: string;
  bytes: number | null;
  /** In milliseconds since 1970; null if it is not known. */
  writtenAt: number | null;
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

/** The files of a source that an ingest reads. */
export class SourceFiles {
  readonly #access: Access;
  readonly #held: HeldFiles;
  readonly #read: { versions: FileVersions; rules: BucketRules }[] = [];
  readonly #notes: string[] = [];
  #sentFolder: Promise<string> | null = null;
  readonly #copyNotes: string[] = [];
  readonly #listed: ListedFile[] = [];
  readonly #chosen = new Set<string>();
  readonly #described: ExportFile[] = [];
  readonly #scopes: string[] = [];
  #copies = 0;

  constructor(access: Access, held: HeldFiles) {
    this.#access = access;
    this.#held = held;
  }

  /** What people should know about files that were left out. */
  get notes(): readonly string[] {
    return [...this.#notes, ...this.#copyNotes];
  }

  /** How many files were left out because others have their rows, and notes on them. */
  get copies(): { files: number; notes: readonly string[] } {
    return { files: this.#copies, notes: this.#copyNotes };
  }

  /** All current files of the locations, and whether each is one to read. */
  get listed(): readonly (ListedFile & { isChosen: boolean })[] {
    return this.#listed.map((file) => ({ ...file, isChosen: this.#chosen.has(file.path) }));
  }

  /** The files whose columns were read. */
  get described(): readonly ExportFile[] {
    return this.#described;
  }

  /** What the deliveries report on, if their manifests say so. */
  get scopes(): readonly string[] {
    return this.#scopes;
  }

  /**
   * Returns the current files of a location, each once and with all mandatory columns. Empty files are left out, and copies of
   * others (leave-out-copies.ts), with a note.
   * Throws `invalid` if there is no file, if one is damaged, or if a header row cannot be read, lacks columns or repeats them.
   *
   * @param field the field of the source that holds the location.
   * @param missing returns the mandatory columns that a file lacks.
   * @param other the other feed of the source. A sent file that only the other feed can read is left to it.
   */
  async at(field: string, location: string, missing: Missing, other?: OtherFeed): Promise<ExportFile[]> {
    const { reader, buckets, now, signal } = this.#access;
    const isSent = location === UPLOAD;
    const [place, sourceRules] = isSent ? await this.#sent(field) : [location, this.#access.rules];
    const current = await exportFiles(reader, place, sourceRules, this.#held, {
      now,
      field,
      signal,
      buckets,
    });
    refuseOtherFormats(current.files, field);
    const rules = { privateTargets: sourceRules.privateTargets, buckets, field, signal };
    const versions = await versionsOf(current.files, rules, this.#held);
    const paths = this.#choose(current.files, versions);
    this.#read.push({ versions, rules });
    this.#scopes.push(...current.deliveries.flatMap(({ scope }) => scope ?? []));
    const deliveries = new Map(
      current.deliveries.flatMap(({ name, files }) => files.map((path) => [path, name])),
    );
    const files: ExportFile[] = [];
    const notes = [...current.notes];
    const columnsOfAll = new ColumnsOfFiles();
    for (const path of paths) {
      const described = await describe(reader, { path, opened: this.#held.opened(path) }, rules);
      if (described === null) {
        notes.push(`${withoutQuery(path)} is empty and was left out`);
        continue;
      }
      const file = { ...columnsOfAll.share(described), delivery: deliveries.get(path) ?? path };
      if (isSent && isOfOther(file, missing, other)) continue;
      this.#described.push(file);
      refuseColumns(file, missing);
      const writtenOn = dayWritten(
        [versions.get(path)?.writtenAt ?? null, current.submitted.get(path) ?? null],
        now,
        systemClock.now(),
      );
      files.push(writtenOn === null ? file : { ...file, writtenOn });
    }
    if (files.length === 0)
      throw invalid(`${field}: ${isSent ? 'no sent file has its columns' : 'every file is empty'}`);
    const once = await leaveOutCopies(reader, files, current.deliveries);
    const named = (text: string): string => this.#held.named(text);
    this.#notes.push(...firstAndMore(notes, MOST_NOTES).map(named));
    this.#copyNotes.push(...once.notes.map(named));
    this.#copies += files.length - once.files.length;
    return once.files.map((file) => ({ ...file, path: named(file.path) }));
  }

  /** Returns the folder of the sent files, and rules under which only it can be read. */
  async #sent(field: string): Promise<[string, SourceRules]> {
    this.#sentFolder ??= this.#access.sentFiles(field);
    const folder = await this.#sentFolder;
    this.#held.call(folder, UPLOAD);
    return [folder, { ...this.#access.rules, roots: [folder] }];
  }

  /** Returns the paths of the files to read, and keeps what is known of all. */
  #choose(paths: readonly string[], versions: FileVersions): readonly string[] {
    const listed = paths.map((path) => {
      const { bytes = null, writtenAt = null } = versions.get(path) ?? {};
      return { path, bytes, writtenAt };
    });
    this.#listed.push(...listed);
    const chosen = this.#access.choose?.(listed) ?? paths;
    for (const path of chosen) this.#chosen.add(path);
    return chosen;
  }

  /** Throws `invalid` if a file has changed since its reading began. */
  async refuseChanged(): Promise<void> {
    for (const { versions, rules } of this.#read) await refuseChangedFiles(versions, rules);
  }
}

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
