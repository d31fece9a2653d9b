import type { Cluster } from './cluster.ts';

/** The catalog of a DuckLake, in the counts that matter for its speed. */
export interface CatalogSize {
  snapshots: number;
  /** Rows of small writes that the catalog holds until the maintenance writes them to files. */
  inlined: number;
  files: number;
}

type Catalog = Pick<Cluster, 'postgres' | 'catalog'>;

const TABLE = 'metric_value_changes';

/** Reads the size of the catalog. */
export async function catalogSize({ postgres, catalog }: Catalog): Promise<CatalogSize> {
  const tables = await postgres.query<{ name: string }>(
    catalog,
    'SELECT table_name AS name FROM ducklake_inlined_data_tables',
  );
  const inlined = tables.map(({ name }) => `(SELECT count(*) FROM "${name}")`).join(' + ');
  const [size] = await postgres.query<CatalogSize>(
    catalog,
    `SELECT (SELECT count(*) FROM ducklake_snapshot)::int AS snapshots, (${inlined || '0'})::int AS inlined,
       (SELECT count(*) FROM ducklake_data_file WHERE end_snapshot IS NULL)::int AS files`,
  );
  if (size === undefined) throw new Error('the catalog has no size');
  return size;
}

/**
 * Adds commits to the catalog, each of one value of a metric that has one value: for each the same rows of Postgres that DuckLake
 * 1.5 writes for it. These are the value in the table of inlined rows, a snapshot, its changes, and new counts and statistics of
 * the table. It takes seconds for what would take the product an hour. The values have days from the year 1000 on.
 */
export async function addCommits(
  { postgres, catalog }: Catalog,
  metric: string,
  commits: number,
): Promise<void> {
  const [table] = await postgres.query<{ id: number; next: number; inlined: string }>(
    catalog,
    `SELECT table_id::int AS id, next_row_id::int AS next, (
       SELECT table_name FROM ducklake_inlined_data_tables AS inlined WHERE inlined.table_id = ducklake_table.table_id
       ORDER BY schema_version DESC LIMIT 1) AS inlined
     FROM ducklake_table JOIN ducklake_table_stats USING (table_id)
     WHERE table_name = '${TABLE}' AND end_snapshot IS NULL`,
  );
  if (table === undefined) throw new Error(`the catalog has no table ${TABLE}`);
  const columns = await postgres.query<{ name: string }>(
    catalog,
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = '"${table.inlined}"'::regclass AND attnum > 0 ORDER BY attnum`,
  );
  const changed: Record<string, string> = {
    row_id: `${table.next} + i - 1`,
    begin_snapshot: 'snapshot_id + i',
    change_id: 'gen_random_uuid()',
    period: `to_char(DATE '1000-01-01' + (${table.next} + i)::int, 'YYYY-MM-DD')`,
  };
  const values = columns.map(({ name }) => changed[name] ?? `model."${name}"`).join(', ');
  const last = '(SELECT * FROM ducklake_snapshot ORDER BY snapshot_id DESC LIMIT 1) AS last';
  const announced = `(SELECT * FROM ducklake_snapshot_changes WHERE commit_extra_info LIKE '%${metric}%' LIMIT 1) AS model`;
  await postgres.query(
    catalog,
    `BEGIN;
     ${ALONE};
     INSERT INTO "${table.inlined}" SELECT ${values}
     FROM (SELECT * FROM "${table.inlined}" WHERE metric_id = '${metric}'::bytea LIMIT 1) AS model, ${last},
       generate_series(1, ${commits}) AS i;
     INSERT INTO ducklake_snapshot_changes
     SELECT last.snapshot_id + i, 'inlined_insert:${table.id}', author, commit_message, commit_extra_info
     FROM ${announced}, ${last}, generate_series(1, ${commits}) AS i;
     INSERT INTO ducklake_snapshot
     SELECT snapshot_id + i, now(), schema_version, next_catalog_id, next_file_id + i
     FROM ${last}, generate_series(1, ${commits}) AS i;
     UPDATE ducklake_table_stats SET record_count = record_count + ${commits}, next_row_id = next_row_id + ${commits}
     WHERE table_id = ${table.id};
     UPDATE ducklake_table_column_stats AS stats
     SET min_value = LEAST(min_value, least_value), max_value = GREATEST(max_value, most_value)
     FROM (VALUES ('change_id', '${FIRST_ID}', '${LAST_ID}'), ('period', '1000-01-01', ''))
       AS added(name, least_value, most_value)
     JOIN ducklake_column ON column_name = name
     WHERE stats.table_id = ${table.id} AND ducklake_column.table_id = ${table.id}
       AND stats.column_id = ducklake_column.column_id;
     COMMIT`,
  );
}

/** A node that commits meanwhile waits, and tries again. */
const ALONE = 'LOCK TABLE ducklake_snapshot IN EXCLUSIVE MODE';

const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Makes all snapshots older, so that the maintenance drops them. */
export async function ageSnapshots({ postgres, catalog }: Catalog, days: number): Promise<void> {
  await postgres.query(
    catalog,
    `UPDATE ducklake_snapshot SET snapshot_time = snapshot_time - INTERVAL '${days} days'`,
  );
}

/** Returns the newest snapshot of the catalog. */
export async function newestSnapshot({ postgres, catalog }: Catalog): Promise<number> {
  const [newest] = await postgres.query<{ id: number }>(
    catalog,
    'SELECT max(snapshot_id)::int AS id FROM ducklake_snapshot',
  );
  return newest?.id ?? 0;
}

/** No commit gives a file this number, not even one that has begun before the entries are added. */
const FIRST_ADDED_FILE = 1_000_000_000;

/**
 * Adds entries of files to the catalog, as if what has written files after a snapshot had run many times more. The entries name
 * the same files, so that only those may read other rows whose statistics rule the files out. Returns how to remove them again.
 */
export async function addFiles(
  { postgres, catalog }: Catalog,
  after: number,
  copies: number,
): Promise<() => Promise<void>> {
  const otherColumns = async (table: string): Promise<string> => {
    const columns = await postgres.query<{ name: string }>(
      catalog,
      `SELECT attname AS name FROM pg_attribute
       WHERE attrelid = '${table}'::regclass AND attnum > 0 AND attname <> 'data_file_id' ORDER BY attnum`,
    );
    return columns.map(({ name }) => `"${name}"`).join(', ');
  };
  const tables = ['ducklake_data_file', 'ducklake_file_column_stats'];
  const inserts = await Promise.all(
    tables.map(async (table) => {
      const columns = await otherColumns(table);
      return `INSERT INTO ${table} (data_file_id, ${columns})
        SELECT added.id, ${columns} FROM bench_added AS added JOIN ${table} ON data_file_id = model`;
    }),
  );
  await postgres.query(
    catalog,
    `BEGIN;
     ${ALONE};
     CREATE TABLE bench_added AS
     SELECT data_file_id AS model, ${FIRST_ADDED_FILE} + row_number() OVER () AS id
     FROM ducklake_data_file, generate_series(1, ${copies})
     WHERE begin_snapshot > ${after} AND end_snapshot IS NULL;
     ${inserts.join('; ')};
     COMMIT;
     ANALYZE`,
  );
  return async () => {
    const removes = tables.map(
      (table) => `DELETE FROM ${table} WHERE data_file_id IN (SELECT id FROM bench_added)`,
    );
    await postgres.query(
      catalog,
      `BEGIN; ${ALONE}; ${removes.join(';')}; DROP TABLE bench_added; COMMIT; ANALYZE`,
    );
  };
}
