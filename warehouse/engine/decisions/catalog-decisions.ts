import { DatabaseError, escapeLiteral, Pool, type PoolClient } from 'pg';
import { unavailable } from '../../../domain/shared/errors.ts';
import { catalogUrl } from './catalog-url.ts';
import { Decisions, PATIENCE_S, type Confirm } from './decisions.ts';

/** Decisions that a process makes or waits for at once. */
const MOST_DECISIONS = 16;

/** Distinguishes our advisory locks from those of other programs in the catalog's database. */
const SEED = 7_266_279_350;

/** Postgres's code for a lock that another held too long. */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * The decisions of all nodes of a DuckLake. Each holds advisory locks of the catalog's Postgres, on a connection of its own. Postgres
 * releases them when the connection ends, so that a node that was killed blocks nobody. A lock ends with its transaction, so that
 * a pooler between here and Postgres does no harm.
 */
export class CatalogDecisions extends Decisions {
  readonly #pool: Pool;
  readonly #longestS: number;

  /**
   * @param catalog the connection string of the catalog, as WAREHOUSE names it after `ducklake:postgres:`.
   * @param most decisions at once, each of which holds a connection to Postgres.
   * @param longestS after how many seconds without a confirmation Postgres takes its locks from a decision; 0 for never.
   */
  constructor(catalog: string, most = MOST_DECISIONS, longestS = 0) {
    super();
    this.#longestS = longestS;
    this.#pool = new Pool({
      connectionString: catalogUrl(catalog),
      application_name: 'cost-analytics decisions',
      max: most,
      connectionTimeoutMillis: PATIENCE_S * 1_000,
      keepAlive: true,
      allowExitOnIdle: true,
    });
    // An idle connection that ends is replaced by the next decision.
    this.#pool.on('error', () => undefined);
  }

  override close(): void {
    super.close();
    if (!this.#pool.ending) void this.#pool.end();
  }

  protected override async amongNodes<Result>(
    about: readonly string[],
    work: (confirm: Confirm) => Promise<Result>,
    patienceS: number,
  ): Promise<Result> {
    const client = await this.#pool.connect().catch(refuse);
    // Otherwise a connection that ends during the work would end the process.
    const ignore = (): void => undefined;
    client.on('error', ignore);
    let isOver = true;
    try {
      await lock(client, about, patienceS, this.#longestS);
      const result = await work(async () => {
        await client.query('SELECT 1').catch(refuse);
      });
      // What is stored stays stored, even if the connection has ended since.
      isOver = await client.query('COMMIT').then(
        () => false,
        () => true,
      );
      return result;
    } finally {
      client.off('error', ignore);
      // After a failure the connection ends, and with it the locks.
      client.release(isOver);
    }
  }
}

async function lock(
  client: PoolClient,
  about: readonly string[],
  patienceS: number,
  longestS: number,
): Promise<void> {
  const locks = about.map(
    (thing) => `SELECT pg_advisory_xact_lock(hashtextextended(${escapeLiteral(thing)}, ${SEED}))`,
  );
  await client
    .query(
      `BEGIN; SET LOCAL lock_timeout = '${patienceS}s'; SET LOCAL idle_in_transaction_session_timeout = '${longestS}s';
       ${locks.join('; ')}`,
    )
    .catch(refuse);
}

/** Throws what the caller gets if a decision cannot be made now. Its words never repeat the connection string. */
function refuse(cause: unknown): never {
  const isTaken = cause instanceof DatabaseError && cause.code === LOCK_NOT_AVAILABLE;
  throw unavailable(
    isTaken ? 'another node is deciding the same; try again' : 'the catalog cannot be reached; try again',
    { cause },
  );
}
