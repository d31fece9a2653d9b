import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { isTriedAgain, toFailure } from '../../activities/shared/failures.ts';
import { ingestSource } from '../../activities/sources/ingest-source.ts';
import type { Random } from '../../bench/data/random.ts';
import type { CostSource } from '../../warehouse/sources/cost-sources.ts';
import { costsOf } from '../support/warehouse/costs-of.ts';
import type { LoadResult } from '../../warehouse/sources/publishing/load.ts';
import { RejectedFeed, type FeedCounts } from '../../warehouse/sources/feeds/read-feed.ts';
import { fromCsv, writeTable } from '../support/warehouse/duckdb-files.ts';
import type { TestWarehouse } from '../support/warehouse/engines.ts';
import { loading, ingestOf } from '../support/warehouse/feeds.ts';
import { newOrganisation, newSource, NOW } from '../support/warehouse/tenant.ts';
import { csvOf, mutatedBytes, mutatedRow, type Row } from './mutate.ts';
import type { Tally } from './tally.ts';
import { readSampleText } from '../support/exports/focus-sample.ts';

/** Mutated rows in a file. They are fewer than one in a hundred of its rows. */
export const MUTATED_ROWS = 50;
const VALID_ROWS = 5_600;

/** Rows of a file with mutated bytes. They are few, so that many files can be read. */
const SMALL_ROWS = 120;

/** Loads before a new organisation takes over. */
const LOADS_OF_ORGANISATION = 100;

/** Mutated exports, loaded as an ingest loads them. */
export interface MutatedLoads {
  /** Loads {@link MUTATED_ROWS} mutated rows among valid ones. */
  loadRows: (index: number, random: Random) => Promise<void>;
  /** Loads a file with mutated bytes. */
  loadBytes: (kind: 'csv' | 'csv.gz' | 'parquet', index: number, random: Random) => Promise<void>;
  /** Returns a file with mutated bytes, without loading it. */
  mutatedFile: (kind: 'csv' | 'csv.gz' | 'parquet', random: Random) => Buffer;
}

/** Prepares the exports that are mutated. */
export async function prepareLoads(test: TestWarehouse, tally: Tally): Promise<MutatedLoads> {
  const rows: Row[] = parse(await readSampleText(), { columns: true });
  const many = Array.from({ length: VALID_ROWS }, (_, index) => rows[index % rows.length] ?? {});
  const small = Buffer.from(csvOf(rows.slice(0, SMALL_ROWS)));
  // Without quotes each line is exactly one row.
  const plain = Buffer.from(csvOf(rows.slice(0, SMALL_ROWS).map((row) => withoutQuotes(row))));
  const [csvPath, parquetPath] = [join(test.directory, 'small.csv'), join(test.directory, 'small.parquet')];
  await writeFile(csvPath, small);
  await writeTable(parquetPath, fromCsv(csvPath));
  const parquet = await readFile(parquetPath);
  let tenant: { orgId: string; source: CostSource; loads: number } | null = null;

  const load = async (name: string, bytes: Buffer): Promise<LoadResult> => {
    if (tenant === null || tenant.loads === LOADS_OF_ORGANISATION) {
      const { id: orgId } = await newOrganisation(test.warehouse);
      tenant = { orgId, source: await newSource(test.warehouse, orgId), loads: 0 };
    }
    tenant.loads += 1;
    const { orgId, source } = tenant;
    const location = join(test.directory, name);
    await writeFile(location, bytes);
    const result = await loading(test, (sessions) =>
      ingestSource(
        { ...source, location },
        ingestOf(test, sessions, { orgId, sourceId: source.id }, { acceptShrink: true }),
      ),
    );
    await checkLoad(orgId, result);
    return result;
  };

  /** Checks that the newest load has as many rows as its run reports, and that the months can be read. */
  const checkLoad = async (orgId: string, result: LoadResult): Promise<void> => {
    const [stored] = await test.warehouse.query<{ row_count: string }>(
      `SELECT COALESCE(sum(rows_read), 0) AS row_count FROM loads
       WHERE org_id = $org AND load_id = (SELECT max(load_id) FROM loads WHERE org_id = $org)`,
      { org: orgId },
    );
    const reported = result.rowsRead - result.rowsRejected - result.rowsLeftOut;
    // A load without months is not stored, so that the newest load is an earlier one.
    if (result.months.length > 0 && Number(stored?.row_count) !== reported)
      throw new WrongLoad(`the run reports ${reported} stored rows, the load has ${stored?.row_count ?? 0}`);
    const range = { start: '2024-09-01', end: '2024-09-30', previousStart: '2024-08-01' };
    await costsOf(test.warehouse, orgId, range, NOW).catch((error: unknown) => {
      throw new WrongLoad(`the months of a published load cannot be computed: ${String(error)}`);
    });
  };

  /** Loads a file, and counts how the load ended. Returns the load's counts of rows, or null if it has none. */
  const outcomeOf = async (kind: string, index: number, bytes: Buffer): Promise<FeedCounts | null> => {
    try {
      const result = await load(`mutated.${kind}`, bytes);
      tally.add('loads', `${kind} completed`);
      return result;
    } catch (error) {
      if (error instanceof WrongLoad) {
        await tally.fault(kind, index, error.message, bytes);
        return null;
      }
      const message = error instanceof Error ? error.message : String(error);
      if (/^(INTERNAL|FATAL) Error|is not a function|Cannot read propert/.test(message))
        await tally.fault(kind, index, message, bytes);
      else if (isTriedAgain(toFailure(error, 3)))
        await tally.fault(kind, index, `counts as an outage: ${message}`, bytes);
      tally.add('loads', `${kind} failed${isTriedAgain(toFailure(error, 1)) ? ' after three tries' : ''}`);
      return error instanceof RejectedFeed ? error.counts : null;
    }
  };

  const mutatedFile: MutatedLoads['mutatedFile'] = (kind, random) => {
    if (kind === 'parquet') return mutatedBytes(parquet, random);
    const bytes = random.next() < 0.5 ? small : plain;
    if (kind === 'csv') return mutatedBytes(bytes, random);
    // If the bytes are mutated before they are compressed, the gzip file is intact.
    return random.next() < 0.2
      ? gzipSync(mutatedBytes(bytes, random))
      : mutatedBytes(gzipSync(bytes), random);
  };

  return {
    mutatedFile,
    loadRows: async (index, random) => {
      const mutated = Array.from({ length: MUTATED_ROWS }, () =>
        mutatedRow(rows[random.between(0, rows.length - 1)] ?? {}, random),
      );
      const all = [...many];
      for (const { row } of mutated) all.splice(random.between(0, all.length), 0, row);
      const bytes = Buffer.from(csvOf(all));
      const counts = await outcomeOf('csv', index, bytes);
      const poisoned = mutated.filter(({ isPoisoned }) => isPoisoned).length;
      if (counts === null) return;
      tally.add('rows', 'rejected', counts.rowsRejected);
      tally.add('rows', 'read', counts.rowsRead);
      if (counts.rowsRead !== all.length)
        await tally.fault('rows', index, `${all.length} rows were sent, ${counts.rowsRead} read`, bytes);
      if (counts.rowsRejected < poisoned || counts.rowsRejected > MUTATED_ROWS)
        await tally.fault(
          'rows',
          index,
          `expected ${poisoned} to ${MUTATED_ROWS} rejected rows, got ${counts.rowsRejected}`,
          bytes,
        );
    },
    loadBytes: async (kind, index, random) => {
      const bytes = mutatedFile(kind, random);
      // If a reader crashes, it ends this process. Then the file with its input is left.
      const counts = await outcomeOf(kind, index, bytes);
      if (counts === null) return;
      const text = kind === 'csv.gz' ? unzipped(bytes) : bytes;
      if (text === null) await tally.fault(kind, index, 'a damaged gzip file was read', bytes);
      else if (kind !== 'parquet' && !text.includes('"') && !text.includes('\r')) {
        const lines =
          text
            .toString('latin1')
            .split('\n')
            .filter((line) => line !== '').length - 1;
        if (counts.rowsRead !== lines)
          await tally.fault(kind, index, `${lines} lines were sent, ${counts.rowsRead} rows read`, bytes);
      }
    },
  };
}

/** A load whose run does not match the stored rows, or whose months cannot be read. */
class WrongLoad extends Error {}

const withoutQuotes = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).map(([name, text]) => [name, text.replaceAll(/[",\r\n]/g, ' ')]));

function unzipped(bytes: Buffer): Buffer | null {
  try {
    return gunzipSync(bytes);
  } catch {
    return null;
  }
}
