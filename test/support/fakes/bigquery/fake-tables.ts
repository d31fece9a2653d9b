import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { sqlText } from '../../../../warehouse/engine/sql/sql-text.ts';
import type { FakeColumn, FakeQuery, JobConfiguration } from './fake-project.ts';
import { Translator } from './translator.ts';

/** A column of a table, as the API describes it. */
export interface FakeField extends FakeColumn {
  fields?: FakeField[];
}

/** A table with its rows, as JSON. */
export interface FakeTable {
  fields: FakeField[];
  rows: object[];
  /** Returns the day of a row's partition, if the table is partitioned by the time of arrival. */
  partition?: (row: object) => string | null;
  /** Default: 100. */
  bytesPerRow?: number;
}

type Parameters = NonNullable<JobConfiguration['query']['queryParameters']>;

/** How DuckDB calls the types of BigQuery, and the API the types of DuckDB. */
const DUCKDB: Record<string, string> = {
  STRING: 'VARCHAR',
  FLOAT: 'DOUBLE',
  INTEGER: 'BIGINT',
  BOOLEAN: 'BOOLEAN',
  NUMERIC: 'DECIMAL(38,9)',
  BIGNUMERIC: 'DECIMAL(38,15)',
  TIMESTAMP: 'TIMESTAMPTZ',
  DATETIME: 'TIMESTAMP',
  DATE: 'DATE',
  JSON: 'JSON',
};

/** The pseudo column of tables that are partitioned by the time of arrival. `SELECT *` does not have it. */
const PARTITION = '_PARTITIONTIME';

/**
 * Tables of a fake BigQuery, which execute every query that they are sent: sqlglot translates it, and DuckDB runs it on nested
 * columns.
 */
export class FakeTables {
  readonly #translator = new Translator();
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;
  readonly #tables = new Map<string, FakeTable>();

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  static async open(): Promise<FakeTables> {
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    await connection.run(`SET TimeZone = 'UTC'`);
    return new FakeTables(instance, connection);
  }

  /** Creates a table, such as `project.dataset.table`, or replaces it. */
  async set(name: string, table: FakeTable): Promise<void> {
    const [project = '', dataset = '', id = ''] = name.split('.');
    const all = table.partition === undefined ? table.fields : [...table.fields, PARTITION_FIELD];
    const rows = table.rows.map((row) => ({ ...row, [PARTITION]: table.partition?.(row) ?? null }));
    const folder = await mkdtemp(join(tmpdir(), 'bigquery-'));
    const file = join(folder, `${randomUUID()}.json`);
    await writeFile(file, JSON.stringify(rows));
    const columns = all.map((field) => `${sqlText(field.name)}: ${sqlText(typeOf(field))}`);
    const inner = `"${project}"."${dataset}"."${id}"`;
    await this.#run(`ATTACH IF NOT EXISTS ':memory:' AS "${project}"`);
    await this.#run(`CREATE SCHEMA IF NOT EXISTS "${project}"."${dataset}"`);
    await this.#run(
      `CREATE OR REPLACE TABLE ${inner} AS FROM read_json(${sqlText(file)}, format = 'array', columns = {${columns.join(', ')}}, maximum_object_size = 100000000)`,
    );
    await rm(folder, { recursive: true });
    this.#tables.set(name, table);
  }

  /** Removes a table. */
  delete(name: string): void {
    this.#tables.delete(name);
  }

  /** Returns the tables that a query names. */
  tablesIn(query: string): string[] {
    return [...query.matchAll(/`([\w:-]+\.\w+\.[\w-]+)`/g)].map(([, name = '']) => name);
  }

  /** Runs a query, or for a dry run only finds out its columns and bytes. */
  async plan(query: string, parameters: Parameters, { isDryRun }: { isDryRun: boolean }): Promise<FakeQuery> {
    const names = this.tablesIn(query);
    const missing = names.find((name) => !this.#tables.has(name));
    if (missing !== undefined) {
      const [project, ...rest] = missing.split('.');
      return failed(
        404,
        'notFound',
        `Not found: Table ${project}:${rest.join('.')} was not found in location EU`,
      );
    }
    const isPartitioned = names.every((name) => this.#tables.get(name)?.partition !== undefined);
    if (query.includes(PARTITION) && !isPartitioned)
      return failed(400, 'invalidQuery', `Unrecognized name: ${PARTITION} at [1:8]`);
    try {
      const sql = await this.#translator.translate(query);
      const select =
        sql.startsWith('SELECT *') && isPartitioned ? sql.replace('*', `* EXCLUDE (${PARTITION})`) : sql;
      const columns = sql.startsWith('SELECT *') ? this.#tables.get(names[0] ?? '')?.fields : undefined;
      const found = await this.#connection.runAndReadAll(
        isDryRun ? `SELECT * FROM (${select}) LIMIT 0` : select,
        bound(parameters, select),
      );
      const types = found.columnTypes().map((type) => type.toString());
      const bytes = names
        .map((name) => this.#tables.get(name))
        .reduce((sum, table) => sum + (table?.rows.length ?? 0) * (table?.bytesPerRow ?? 100), 0);
      const cells = found
        .getRowsJson()
        .map((row) => row.map((cell, index) => written(cell, types[index] ?? '')));
      return {
        columns:
          columns ?? found.columnNames().map((name, index) => ({ name, type: apiType(types[index] ?? '') })),
        rows: () => cells,
        bytes,
        parameters: [],
      };
    } catch (error) {
      return failed(
        400,
        'invalidQuery',
        error instanceof Error ? error.message.split('\n').slice(0, 3).join(' ') : String(error),
      );
    }
  }

  close(): Promise<void> {
    this.#translator.close();
    this.#connection.closeSync();
    this.#instance.closeSync();
    return Promise.resolve();
  }

  async #run(sql: string): Promise<void> {
    await this.#connection.run(sql);
  }
}

const PARTITION_FIELD: FakeField = { name: PARTITION, type: 'TIMESTAMP' };

const failed = (status: number, reason: string, message: string): FakeQuery => ({
  columns: [],
  rows: () => [],
  error: { status, reason, message },
});

function typeOf({ type, mode, fields = [] }: FakeField): string {
  const own =
    type === 'RECORD'
      ? `STRUCT(${fields.map((field) => `"${field.name}" ${typeOf(field)}`).join(', ')})`
      : DUCKDB[type];
  if (own === undefined) throw new Error(`no type of BigQuery: ${type}`);
  return mode === 'REPEATED' ? `${own}[]` : own;
}

function apiType(type: string): string {
  if (type === 'HUGEINT') return 'NUMERIC';
  if (type.startsWith('DECIMAL')) return type.endsWith(',9)') ? 'NUMERIC' : 'BIGNUMERIC';
  return (
    Object.entries(DUCKDB).find(([, duckdb]) => duckdb === type)?.[0] ??
    type.replace(/^TIMESTAMP WITH.*/, 'TIMESTAMP')
  );
}

/** Returns a cell as the API writes it: decimals without empty places. */
function written(cell: unknown, type: string): string | null {
  if (cell === null) return null;
  const text = typeof cell === 'string' ? cell : JSON.stringify(cell);
  return type.startsWith('DECIMAL') ? text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '') : text;
}

/** Returns the values of the parameters that a statement uses. */
const bound = (parameters: Parameters, sql: string): Record<string, string> =>
  Object.fromEntries(
    parameters
      .filter(({ name }) => new RegExp(`\\$${name}\\b`).test(sql))
      .map(({ name, parameterValue: { value } }) => [name, String(value)]),
  );
