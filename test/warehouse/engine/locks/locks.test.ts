import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresCatalog } from '../../../../warehouse/engine/location.ts';
import { CatalogLocks } from '../../../../warehouse/engine/locks/catalog-locks.ts';
import { catalogUrl } from '../../../../warehouse/engine/locks/catalog-url.ts';
import { Locks } from '../../../../warehouse/engine/locks/locks.ts';
import { newCatalog } from '../../../support/warehouse/engines.ts';
import { held } from '../../../support/warehouse/held-lock.ts';
import { LAKE, lacking } from '../../../support/needs.ts';

const why = lacking(...LAKE);

const busy = { kind: 'unavailable', message: 'another node is deciding the same; try again' };
const away = { kind: 'unavailable', message: 'the catalog cannot be reached; try again' };

const locksOf = (twoNodes: boolean) => (): void => {
  let one: Locks;
  let other: Locks;
  beforeAll(async () => {
    const catalog = twoNodes ? (postgresCatalog(await newCatalog()) ?? '') : null;
    one = catalog === null ? new Locks() : new CatalogLocks(catalog);
    other = catalog === null ? one : new CatalogLocks(catalog);
  });
  afterAll(() => {
    one.close();
    if (twoNodes) other.close();
  });

  it('wait for those about the same thing, not for others, and go on after a failure', async () => {
    const order: string[] = [];
    const first = held();
    const failing = one.hold(['keys', 'names'], async (confirm) => {
      order.push('first begins');
      await first.work(confirm);
      order.push('first ends');
      throw new Error('first failed');
    });
    await first.hasBegun;
    const second = other.hold(['names'], async () => {
      order.push('second');
      return 2;
    });
    await other.hold(['months'], async () => order.push('other'));
    expect(order).toEqual(['first begins', 'other']);
    first.end();
    await expect(failing).rejects.toThrow('first failed');
    expect(await second).toBe(2);
    expect(order).toEqual(['first begins', 'other', 'first ends', 'second']);
  });

  it('never run at once, however many there are', async () => {
    let running = 0;
    let most = 0;
    const hold = (node: Locks) =>
      node.hold(['one thing'], async (confirm) => {
        running += 1;
        most = Math.max(most, running);
        await confirm();
        running -= 1;
      });
    await Promise.all(Array.from({ length: 100 }, (_, index) => hold(index % 2 === 0 ? one : other)));
    expect([running, most]).toEqual([0, 1]);
  });
};

describe('locks of one process', locksOf(false));
describe.skipIf(why !== '')(`locks of two nodes of a DuckLake${why}`, locksOf(true));

describe.skipIf(why !== '')(`locks of nodes${why}`, () => {
  let catalog: string;
  let node: CatalogLocks;
  let other: CatalogLocks;
  let postgres: Client;
  beforeAll(async () => {
    catalog = postgresCatalog(await newCatalog()) ?? '';
    node = new CatalogLocks(catalog);
    other = new CatalogLocks(catalog);
    postgres = new Client(catalogUrl(catalog));
    await postgres.connect();
  });
  afterAll(async () => {
    node.close();
    other.close();
    await postgres.end();
  });

  it('give up after a while, and may be tried again', async () => {
    const first = held();
    const holding = node.hold(['thing'], first.work);
    await first.hasBegun;
    await expect(other.hold(['thing'], async () => 'never', 1)).rejects.toMatchObject(busy);
    first.end();
    await holding;
    expect(await other.hold(['thing'], async () => 'now', 1)).toBe('now');
  });

  /** Ends the connections of all who decide in this database, as if their nodes had died. Other tests have others. */
  const endDeciders = () =>
    postgres.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_database ON pg_database.oid = database
       WHERE locktype = 'advisory' AND granted AND datname = current_database()`,
    );

  it('a node that has lost its locks stores nothing, and the next one need not wait', async () => {
    const first = held();
    const stored: string[] = [];
    const holding = node.hold(['thing'], async (confirm) => {
      await first.work(confirm);
      stored.push('first');
    });
    await first.hasBegun;
    await endDeciders();
    expect(await other.hold(['thing'], async () => stored.push('second'))).toBe(1);
    first.end();
    await expect(holding).rejects.toMatchObject(away);
    expect(stored).toEqual(['second']);
    expect(await node.hold(['thing'], async () => 'again')).toBe('again');
  });

  it('what is stored stays stored if the connection ends before the lock is given back', async () => {
    const result = await node.hold(['thing'], async (confirm) => {
      await confirm();
      await endDeciders();
      return 'stored';
    });
    expect(result).toBe('stored');
  });

  it('say that the catalog is away, and never where it is', async () => {
    const lost = new CatalogLocks('host=127.0.0.1 port=1 password=secret dbname=none');
    await expect(lost.hold(['thing'], async () => 'never')).rejects.toMatchObject(away);
    lost.close();
  });
});
