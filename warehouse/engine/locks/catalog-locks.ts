import { DatabaseError, escapeLiteral, type Pool, type PoolClient } from 'pg';
import { unavailable } from '../../../domain/shared/errors.ts';
import { catalogPool } from './catalog-pool.ts';
import { Locks, type Confirm } from './locks.ts';

/** How much work of a process holds locks, or waits for them, at once. */
const MOST_AT_ONCE = 16;

/** Distinguishes our advisory locks from those of other programs in the catalog's database. */
const SEED = 7_266_279_350;

/** Postgres's code for a lock that another held too long. */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * The locks of all nodes of a DuckLake. They are advisory locks of the catalog's Postgres. Work holds its locks on a connection of
 * its own. Postgres releases them when the connection ends, so that a node that was killed blocks nobody. A lock ends with its
 * transaction, so that a pooler between here and Postgres does no harm.
 */
export class CatalogLocks extends Locks {
  readonly #pool: Pool;
  readonly #longestS: number;

  /**
   * @param catalog the connection string of the catalog, as WAREHOUSE names it after `ducklake:postgres:`.
   * @param most how much work may hold locks at once, each with a connection to Postgres.
   * @param longestS after how many seconds without a confirmation Postgres releases the locks of work; 0 for never.
   */
  constructor(catalog: string, most = MOST_AT_ONCE, longestS = 0) {
    super();
    this.#longestS = longestS;
    this.#pool = catalogPool(catalog, 'locks', most);
  }

  override close(): void {
    super.close();
    if (!this.#pool.ending) void this.#pool.end();
  }

  protected override async amongNodes<Result>(
    locks: readonly string[],
    work: (confirm: Confirm) => Promise<Result>,
    patienceS: number,
  ): Promise<Result> {
    const client = await this.#pool.connect().catch(refuse);
    // Otherwise a connection that ends during the work would end the process.
    const ignore = (): void => undefined;
    client.on('error', ignore);
    let isOver = true;
    try {
      await lock(client, locks, patienceS, this.#longestS);
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
  names: readonly string[],
  patienceS: number,
  longestS: number,
): Promise<void> {
  const locks = names.map(
    (name) => `SELECT pg_advisory_xact_lock(hashtextextended(${escapeLiteral(name)}, ${SEED}))`,
  );
  await client
    .query(
      `BEGIN; SET LOCAL lock_timeout = '${patienceS}s'; SET LOCAL idle_in_transaction_session_timeout = '${longestS}s';
       ${locks.join('; ')}`,
    )
    .catch(refuse);
}

/** Throws what the caller gets if a lock cannot be taken now. Its words never repeat the connection string. */
function refuse(cause: unknown): never {
  const isTaken = cause instanceof DatabaseError && cause.code === LOCK_NOT_AVAILABLE;
  throw unavailable(
    isTaken ? 'another node is deciding the same; try again' : 'the catalog cannot be reached; try again',
    { cause },
  );
}
