import type { Delivery } from '../../../../domain/sources/exports/export-manifest.ts';
import type { Statements } from '../../../engine/session.ts';
import { dropTemporaryTables } from '../../../engine/sql/temporary-tables.ts';
import type { ExportFile } from '../export-files.ts';
import { commonRows, type CommonRows, type TellingColumns } from './common-rows.ts';
import { containedAmong } from './contained-deliveries.ts';
import { copyNotes, outermostOf, type Containers } from './copy-notes.ts';
import { likelyCopies, placeFiles, type LikelyCopy, type ReadDelivery } from './likely-copies.ts';

/** How often a delivery is compared with another that may contain it. {@link likelyCopies} excludes most others. */
const MOST_ROUNDS = 8;

/** The files of a reading without copies. */
export interface WithoutCopies {
  files: ExportFile[];
  notes: string[];
  /** The files that were left out, each with those that have its rows, by path. */
  copies: ReadonlyMap<string, readonly string[]>;
  /** Whether other files of the source could decide otherwise. */
  isWhole: boolean;
}

/**
 * Leaves out deliveries whose rows another delivery of the source has, too: copies under other names, in other formats or
 * folders, month-to-date files that a newer one continues, and exports of a part of what another export has. Each is noted with
 * its amount.
 *
 * The comparison takes every column that all files have. The exports of two accounts can have single equal rows, which count
 * twice. So all rows of a delivery must be in the other one, as often as in it. A delivery with few rows must also have all rows
 * of its days, or report on an Azure scope within the other's. Otherwise both count, with a note and a doubt (charged-twice.ts).
 */
export async function leaveOutCopies(
  reader: Statements,
  files: readonly ExportFile[],
  deliveries: readonly Delivery[],
  telling?: TellingColumns,
): Promise<WithoutCopies> {
  const compared = comparable(readDeliveries(files, deliveries));
  const comparedFiles = compared.flatMap((delivery) => delivery.files);
  const rows = compared.length < 2 ? null : commonRows(comparedFiles, telling);
  if (rows === null) return { files: [...files], notes: [], copies: new Map(), isWhole: false };
  await dropTemporaryTables(reader, TABLES);
  try {
    await placeFiles(reader, compared);
    const { leftOut, doubtful, isWhole } = await decide(reader, compared, rows);
    const gone = new Set([...leftOut.keys()].flatMap((place) => compared[place]?.files ?? []));
    const alsoIn = new Map(
      [...doubtful].flatMap(([inner, outer]) =>
        (compared[inner]?.files ?? []).map(({ path }) => [path, compared[outer]?.name]),
      ),
    );
    return {
      files: files
        .filter((file) => !gone.has(file))
        .map((file) => {
          const other = alsoIn.get(file.path);
          return other === undefined ? file : { ...file, alsoIn: other };
        }),
      copies: new Map(
        [...leftOut.keys()].flatMap((inner) => {
          const outer = compared[outermostOf(inner, leftOut)]?.files.map(({ path }) => path) ?? [];
          return (compared[inner]?.files ?? []).map(({ path }) => [path, outer] as const);
        }),
      ),
      isWhole,
      notes: [
        ...(await copyNotes(
          reader,
          compared,
          leftOut,
          (inner, outer, worth) =>
            `${inner} has only rows that ${outer} has, too, and was left out: ${worth} count once`,
        )),
        ...(await copyNotes(
          reader,
          compared,
          doubtful,
          (inner, outer, worth) =>
            `${outer} has all rows of ${inner}, too, but other rows of the same time: both count, ${worth} twice; remove one if it is a copy`,
        )),
      ],
    };
  } finally {
    await dropTemporaryTables(reader, TABLES);
  }
}

const TABLES = ['delivery_files', 'signatures', 'inner_rows', 'outer_rows'];

/** Returns the deliveries with the files that are read. Empty files are not. */
function readDeliveries(files: readonly ExportFile[], deliveries: readonly Delivery[]): ReadDelivery[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return deliveries
    .map((delivery) => ({ ...delivery, files: delivery.files.flatMap((path) => byPath.get(path) ?? []) }))
    .filter((delivery) => delivery.files.length > 0);
}

/** Returns the deliveries that may share days with another one. The others need no comparison. */
const comparable = (deliveries: readonly ReadDelivery[]): ReadDelivery[] =>
  deliveries.filter((one) => deliveries.some((other) => other !== one && mayShareDays(one, other)));

const mayShareDays = (one: ReadDelivery, other: ReadDelivery): boolean =>
  (one.from === null || other.to === null || one.from <= other.to) &&
  (one.to === null || other.from === null || other.from <= one.to);

async function decide(
  reader: Statements,
  deliveries: readonly ReadDelivery[],
  rows: CommonRows,
): Promise<{ leftOut: Containers; doubtful: Containers; isWhole: boolean }> {
  const open = new Map<number, number[]>();
  for (const { inner, outer } of await likelyCopies(reader, deliveries, rows))
    open.set(inner, [...(open.get(inner) ?? []), outer]);
  const leftOut: Containers = new Map();
  const doubtful: Containers = new Map();
  let isWhole = false;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const batch = nextPairs(open, leftOut);
    if (batch.length === 0) break;
    for (const { inner, outer, isCertain, hasFewRows } of await containedAmong(
      reader,
      deliveries,
      rows,
      batch,
    )) {
      (isCertain ? leftOut : doubtful).set(inner, outer);
      if (isCertain) open.delete(inner);
      isWhole ||= hasFewRows;
    }
  }
  for (const inner of leftOut.keys()) doubtful.delete(inner);
  return { leftOut, doubtful, isWhole };
}

/** Takes the next pair of each undecided delivery. What is left out contains nothing that its own container lacks. */
function nextPairs(open: Map<number, number[]>, leftOut: Containers): LikelyCopy[] {
  const pairs: LikelyCopy[] = [];
  for (const [inner, outers] of open) {
    let outer = outers.shift();
    while (outer !== undefined && leftOut.has(outer)) outer = outers.shift();
    if (outer === undefined) open.delete(inner);
    else pairs.push({ inner, outer });
  }
  return pairs;
}
