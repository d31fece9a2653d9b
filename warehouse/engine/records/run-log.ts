import { idAfter } from '../sql/ids.ts';
import { instantOrNull } from '../sql/instant.ts';
import type { Queries } from '../session.ts';
import type { Parameter } from '../sql/parameters.ts';
import type { Warehouse } from '../warehouse.ts';

/** What every run of a workflow has. */
export interface Run {
  run_id: string;
  workflow_id: string;
  status: 'running' | 'completed' | 'failed';
  started_at: string;
  finished_at: string | null;
  error: string | null;
}

/** A run that the warehouse records as running, in any organisation, with the id of its subject. */
export type OpenRun<Subject extends string> = Record<'org_id' | 'run_id' | 'workflow_id' | Subject, string>;

type ColumnType = 'VARCHAR' | 'BIGINT' | 'DATE' | 'DECIMAL(38,15)' | 'JSON';
type StoredType = ColumnType | 'TIMESTAMP';

const OF_EVERY_RUN: Record<keyof Run, StoredType> = {
  run_id: 'VARCHAR',
  workflow_id: 'VARCHAR',
  status: 'VARCHAR',
  started_at: 'TIMESTAMP',
  finished_at: 'TIMESTAMP',
  error: 'VARCHAR',
};

/**
 * Stores the runs of one kind of workflow, as a log of their events in `<name>_run_events`. The view `<name>_runs` has the newest
 * event of each run. An end is final. `subject` is the column with the id of what a run works on.
 */
export class RunLog<Of extends Run, Subject extends keyof Of & string> {
  readonly #subject: Subject;
  readonly #columns: readonly (readonly [name: string, type: StoredType])[];
  readonly #events: string;
  readonly #view: string;
  /** The columns of a run in a statement; `runOf` reads them. */
  readonly columns: string;
  /** A relation of the runs of the organisation `$org`. `first_event` orders them by their begin. */
  readonly inOrder: string;

  constructor(
    name: 'ingest' | 'import',
    subject: Subject,
    columns: Record<Exclude<keyof Of & string, keyof Run>, ColumnType>,
  ) {
    this.#subject = subject;
    this.#columns = Object.entries<StoredType>({ ...OF_EVERY_RUN, ...columns });
    this.#events = `${name}_run_events`;
    this.#view = `${name}_runs`;
    this.columns = this.#columns.map(([column]) => column).join(', ');
    this.inOrder = `(FROM ${this.#view} JOIN
      (SELECT run_id, min(event_id) AS first_event FROM ${this.#events} WHERE org_id = $org GROUP BY run_id) USING (run_id)
      WHERE org_id = $org)`;
  }

  /** Returns the run of a row with `columns`. */
  runOf(row: Record<string, unknown>): Of {
    const fields = this.#columns.map(([column, type]) => [column, read(type, row[column])] as const);
    return Object.fromEntries(fields) as unknown as Of;
  }

  /** Records the progress or the end of a run. */
  async record(warehouse: Warehouse, orgId: string, run: Of): Promise<void> {
    const values = run as unknown as Record<string, unknown>;
    const stored = this.#columns.map(([column, type]) => `$${column}::${type} AS ${column}`);
    await warehouse.run(
      `INSERT INTO ${this.#events} BY NAME SELECT $org AS org_id, $event::UUID AS event_id, ${stored.join(', ')}`,
      {
        ...Object.fromEntries(this.#columns.map(([column, type]) => [column, written(type, values[column])])),
        org: orgId,
        event: idAfter(null),
      },
    );
  }

  /** Returns a run of the organisation, or null if it has no such run. */
  async find(warehouse: Queries, orgId: string, runId: string): Promise<Of | null> {
    const [row] = await warehouse.query<Record<string, unknown>>(
      `SELECT ${this.columns} FROM ${this.#view} WHERE org_id = $org AND run_id = $run`,
      { org: orgId, run: runId },
    );
    return row === undefined ? null : this.runOf(row);
  }

  /**
   * Returns all runs of existing organisations that have not ended, oldest first: for the worker that compares them with Temporal,
   * never for a tenant.
   */
  open(warehouse: Warehouse): Promise<OpenRun<Subject>[]> {
    return warehouse.query<OpenRun<Subject>>(
      `SELECT org_id, run_id, ${this.#subject}, workflow_id FROM ${this.#events} AS opened
       WHERE status = 'running' AND NOT EXISTS (FROM ${this.#events} AS ended
         WHERE ended.org_id = opened.org_id AND ended.run_id = opened.run_id AND ended.status <> 'running')
         AND org_id IN (SELECT org_id FROM organisations)
       GROUP BY ALL ORDER BY min(event_id)`,
    );
  }

  /** Records the failure of a run. Returns false if the run has ended already. */
  async fail(
    warehouse: Warehouse,
    { org_id, run_id }: Record<'org_id' | 'run_id', string>,
    error: string,
    now: Date,
  ): Promise<boolean> {
    const run = await this.find(warehouse, org_id, run_id);
    if (run?.status !== 'running') return false;
    await this.record(warehouse, org_id, { ...run, status: 'failed', finished_at: now.toISOString(), error });
    return true;
  }
}

function read(type: StoredType, stored: unknown): unknown {
  if (type === 'TIMESTAMP') return instantOrNull(stored as string | null);
  if (stored === null) return null;
  if (type === 'BIGINT') return Number(stored);
  return type === 'JSON' ? (JSON.parse(stored as string) as unknown) : stored;
}

const written = (type: StoredType, value: unknown): Parameter =>
  type === 'JSON' ? JSON.stringify(value) : (value as Parameter);
