import { Client } from 'pg';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { CatalogLocks } from '../../../../warehouse/engine/locks/catalog-locks.ts';
import { CatalogCommitQueue } from '../../../../warehouse/engine/locks/catalog-commit-queue.ts';
import { catalogUrl } from '../../../../warehouse/engine/locks/catalog-url.ts';
import { postgresCatalog } from '../../../../warehouse/engine/location.ts';
import { Warehouse } from '../../../../warehouse/engine/warehouse.ts';
import { openDuckLake } from '../../../support/warehouse/engines.ts';
import { held } from '../../../support/warehouse/held-lock.ts';
import { LAKE, lacking } from '../../../support/needs.ts';
import { withOpened } from '../../../support/with-opened.ts';

const why = lacking(...LAKE);

const WRITERS = 8;
const WRITES = 5;

describe.skipIf(why !== '')(`the commit queue of two nodes${why}`, () => {
  const test = withOpened(openDuckLake);
  let catalog: string;
  beforeAll(async () => {
    catalog = postgresCatalog(test.settings.location) ?? '';
  });

  const write = (node: Warehouse, org: string) =>
    node.run('INSERT INTO webhook_attempts BY NAME SELECT $org AS org_id', { org });
  const stored = async (org: string) => {
    const sql = 'SELECT CAST(count(*) AS INTEGER) AS rows FROM webhook_attempts WHERE org_id = $org';
    return (await test.warehouse.query(sql, { org }))[0];
  };

  /** Returns how many transactions of the catalog were rolled back. Postgres counts those of a connection when it ends. */
  const rolledBack = async (): Promise<number> => {
    const client = new Client(catalogUrl(catalog));
    await client.connect();
    try {
      const { rows } = await client.query<{ count: number }>(
        'SELECT xact_rollback::int AS count FROM pg_stat_database WHERE datname = current_database()',
      );
      return rows[0]?.count ?? Number.NaN;
    } finally {
      await client.end();
    }
  };

  it('keeps small writes from meeting, so that none repeats its commit', async () => {
    const nodes = [await Warehouse.open(test.settings), await Warehouse.open(test.settings)];
    const before = await rolledBack();
    // No time passes, so that no write becomes a long one, which lets others go on.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const writers = Array.from({ length: WRITERS }, async (_, writer) => {
      for (const node of Array.from({ length: WRITES }, () => nodes[writer % 2]))
        if (node !== undefined) await write(node, 'org_queue');
    });
    await Promise.all(writers).finally(() => vi.useRealTimers());
    for (const node of nodes) node.close();
    expect(await stored('org_queue')).toEqual({ rows: WRITERS * WRITES });
    expect(await rolledBack()).toBe(before);
  });

  it('lets others go on while a transaction works for long, and stores both', async () => {
    const node = await Warehouse.open(test.settings);
    await test.warehouse.transaction(async (session) => {
      await session.run(`INSERT INTO webhook_attempts BY NAME SELECT 'org_long' AS org_id`);
      await write(node, 'org_long');
    });
    node.close();
    expect(await stored('org_long')).toEqual({ rows: 2 });
  });

  it('is nothing that a write depends on', async () => {
    const other = new CatalogLocks(catalog);
    const first = held();
    const holding = other.hold(['commit'], first.work);
    await first.hasBegun;
    await write(test.warehouse, 'org_without');
    first.end();
    await holding;
    other.close();
    expect(await stored('org_without')).toEqual({ rows: 1 });
  });

  it('removes a node that hangs, so that the others wait for it only once', async () => {
    const hanging = new CatalogCommitQueue(catalog, 1);
    const leave = await hanging.enter();
    // Each would wait for longer than this test may take.
    const waiting = new CatalogCommitQueue(catalog, 300);
    for (const entered of [waiting.enter(), waiting.enter(), waiting.enter()]) (await entered)();
    leave();
    (await hanging.enter())();
    hanging.close();
    waiting.close();
  });
});
