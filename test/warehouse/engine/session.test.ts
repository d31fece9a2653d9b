import { EventEmitter, once } from 'node:events';
import {
  DATE,
  DECIMAL,
  DuckDBConnection,
  DuckDBDateValue,
  DuckDBDecimalValue,
  VARCHAR,
} from '@duckdb/node-api';
import { readdir, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Session } from '../../../warehouse/engine/session.ts';
import type { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { waitFor } from '../../support/service/api-client.ts';
import { breakingStatement } from '../../support/warehouse/break-duckdb.ts';
import { describeOnBothEngines, openDuckDb } from '../../support/warehouse/engines.ts';
import { withOpened } from '../../support/with-opened.ts';
import { WAIT_MS } from '../../support/patience.ts';

describeOnBothEngines('sessions', (open) => {
  const test = withOpened(open);
  let warehouse: Warehouse;
  beforeAll(async () => {
    ({ warehouse } = test);
    await warehouse.run('CREATE TABLE notes (org_id VARCHAR, text VARCHAR, amount DECIMAL(38,15))');
  });

  const notes = async (org: string): Promise<string[]> =>
    (
      await warehouse.query<{ text: string }>('SELECT text FROM notes WHERE org_id = $org ORDER BY text', {
        org,
      })
    ).map(({ text }) => text);

  it('that work has for itself end with it, and their temporary tables, also if it fails', async () => {
    const make = (session: Session) => session.run('CREATE TEMP TABLE scratch AS SELECT 1 AS number');
    const ended = await warehouse.ownSession(async (session) => {
      await make(session);
      return session;
    });
    await expect(ended.query('FROM scratch')).rejects.toThrow();
    await expect(
      warehouse.ownSession(async (session) => {
        await make(session);
        throw new Error('the work failed');
      }),
    ).rejects.toThrow('the work failed');
    await warehouse.ownSession(async (session) => {
      await make(session);
      await expect(warehouse.query('FROM temp.main.scratch')).rejects.toThrow('does not exist');
    });
  });

  it('stream rows in batches, and end a statement when its reader leaves', async () => {
    const { signal } = new AbortController();
    let count = 0;
    const numbers =
      'SELECT CAST(range AS DECIMAL(38,15)) AS number FROM range($count::BIGINT) ORDER BY range';
    for await (const rows of warehouse.stream<{ number: string }>(numbers, [{ count: 10_000 }], signal)) {
      expect(rows[0]?.number).toBe(`${count}.000000000000000`);
      count += rows.length;
    }
    expect(count).toBe(10_000);
    // The reader leaves each stream after its first batch.
    for (let index = 0; index < 12; index += 1)
      for await (const rows of warehouse.stream(numbers, [{ count: 1_000_000 }], signal)) {
        expect(rows.length).toBeLessThan(10_000);
        break;
      }
    const leave = new AbortController();
    // The statement uses a sequence, which shows that it has begun.
    await warehouse.run('CREATE SEQUENCE memory.main.begun');
    const endless = `SELECT count(*) AS count FROM range(1000000000000) AS numbers(number)
       WHERE hash(number) % 7 = 3 AND number > (SELECT nextval('memory.main.begun'))`;
    const interrupted = expect(warehouse.stream(endless, [{}], leave.signal).next()).rejects.toThrow(
      /interrupt/i,
    );
    await waitFor(async () => {
      const [sequence] = await warehouse.query<{ last: string | null }>(
        `SELECT last_value AS last FROM duckdb_sequences() WHERE sequence_name = 'begun'`,
      );
      return sequence?.last ?? undefined;
    });
    leave.abort();
    await interrupted;
    await expect(warehouse.stream(numbers, [{ count: 1 }], leave.signal).next()).rejects.toThrow(/abort/i);
  });

  it('stream a statement once for each of its runs, all on the same state', async () => {
    const add = (text: string) => warehouse.run(`INSERT INTO notes VALUES ('runs', $text, 1)`, { text });
    await add('early');
    const seen: object[] = [];
    const runs = [{ run: 'one' }, { run: 'two' }];
    const sql = `SELECT $run AS run, text FROM notes WHERE org_id = 'runs'`;
    for await (const rows of warehouse.stream(sql, runs, new AbortController().signal)) {
      seen.push(...rows);
      await add('late');
    }
    expect(seen).toEqual(runs.map(({ run }) => ({ run, text: 'early' })));
    expect(await notes('runs')).toEqual(['early', 'late', 'late']);
  });

  it('keep decimals exact far beyond doubles, as parameters, results and sums', async () => {
    // 2^53 + 1 with 15 decimals; a double would end in …992.
    for (const amount of ['9007199254740993.000000000000001', '0.000000000000001', '-0.000000000000003']) {
      await warehouse.run(`INSERT INTO notes SELECT 'decimals', $amount, $amount::DECIMAL(38,15)`, {
        amount,
      });
    }
    const [sum] = await warehouse.query<{ sum: string }>(
      `SELECT sum(amount) AS sum FROM notes WHERE org_id = 'decimals'`,
    );
    // 9007199254740993 + 0.000000000000001 + 0.000000000000001 − 0.000000000000003
    expect(sum?.sum).toBe('9007199254740992.999999999999999');
    const [count] = await warehouse.query<{ count: string }>('SELECT 9007199254740993::BIGINT AS count');
    expect(count?.count).toBe('9007199254740993');
  });

  it('bind every kind of parameter, and never splice text into SQL', async () => {
    const text = `'); DROP TABLE notes; -- "quoted" ü €`;
    const [row] = await warehouse.query(
      'SELECT $text AS text, $number AS number, $flag AS flag, $nothing AS nothing, $list AS list, len($none) AS none',
      { text, number: 7, flag: true, nothing: null, list: ['a', `b'`], none: [] },
    );
    expect(row).toEqual({ text, number: 7, flag: true, nothing: null, list: ['a', `b'`], none: '0' });
  });

  it('store all of a transaction or nothing, and work after a failed one', async () => {
    await warehouse.transaction(async (session) => {
      await session.run(`INSERT INTO notes VALUES ('rollback', 'kept', 1)`);
    });
    const failing = warehouse.transaction(async (session) => {
      await session.run(`INSERT INTO notes VALUES ('rollback', 'lost', 1)`);
      throw new Error('half way');
    });
    await expect(failing).rejects.toThrow('half way');
    const wrong = warehouse.transaction(async (session) => {
      await session.run(`INSERT INTO notes VALUES ('rollback', 'lost too', 1)`);
      await session.run('INSERT INTO no_such_table VALUES (1)');
    });
    await expect(wrong).rejects.toThrow(/no_such_table/);
    await warehouse.run(`INSERT INTO notes VALUES ('rollback', 'later', 1)`);
    expect(await notes('rollback')).toEqual(['kept', 'later']);
  });

  it('run again if another writer was in the way, and store once', async () => {
    await warehouse.run(`INSERT INTO notes VALUES ('conflict', 'old', 1)`);
    let runs = 0;
    await warehouse.transaction(async (session) => {
      runs += 1;
      await session.query('FROM notes');
      if (runs === 1) await warehouse.run(`DELETE FROM notes WHERE org_id = 'conflict'`);
      await session.run(`DELETE FROM notes WHERE org_id = 'conflict'`);
      await session.run(`INSERT INTO notes VALUES ('conflict', 'new', 1)`);
    });
    expect(runs).toBe(2);
    expect(await notes('conflict')).toEqual(['new']);
  });

  it('hide uncommitted rows from other sessions', async () => {
    await warehouse.transaction(async (session) => {
      await session.run(`INSERT INTO notes VALUES ('isolation', 'mine', 1)`);
      expect(await notes('isolation')).toEqual([]);
    });
    expect(await notes('isolation')).toEqual(['mine']);
  });

  it('serve more callers than there are sessions', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        warehouse.query<{ n: number }>('SELECT $n::INTEGER AS n', { n: index }),
      ),
    );
    expect(answers.map(([row]) => row?.n)).toEqual(Array.from({ length: 40 }, (_, index) => index));
  });

  it('append more rows than one chunk holds', async () => {
    const days = Array.from({ length: 5000 }, (_, index) => index);
    const [row] = await warehouse.session(async (session) => {
      await session.run('CREATE OR REPLACE TEMP TABLE many (day DATE, label VARCHAR, value DECIMAL(38,10))');
      await session.append(
        'many',
        [DATE, VARCHAR, DECIMAL(38, 10)],
        [
          days.map((day) => new DuckDBDateValue(day)),
          days.map((day) => `label ${day}`),
          days.map((day) => new DuckDBDecimalValue(BigInt(day), 38, 10)),
        ],
      );
      return session.query<{ rows: string; last: string; sum: string; label: string }>(
        'SELECT count(*) AS rows, max(day) AS last, sum(value) AS sum, max(label) AS label FROM many',
      );
    });
    // Day 4999 after 1970-01-01 is 1983-09-09; Σ 0…4999 = 4999 × 5000 ÷ 2 = 12,497,500 units of 10⁻¹⁰.
    expect(row).toEqual({ rows: '5000', last: '1983-09-09', sum: '0.0012497500', label: 'label 999' });
  });
});

describe('a statement that runs out of memory', () => {
  const test = withOpened(openDuckDb);
  const run = vi.spyOn(DuckDBConnection.prototype, 'runAndReadAll');
  afterAll(() => {
    run.mockRestore();
  });
  afterEach(() => test.warehouse.run(`SET memory_limit = '1GB'`));

  const LARGE = 'SELECT len(list(range)) AS length FROM range(3000000)';
  const tries = (): number => run.mock.calls.filter(([sql]) => sql === LARGE).length;

  it('waits a limited time for memory, and not within a transaction', async () => {
    const { warehouse } = test;
    await warehouse.run(`SET memory_limit = '20MB'`);
    await expect(warehouse.transaction((session) => session.query(LARGE))).rejects.toThrow(
      'Out of Memory Error',
    );
    expect(tries()).toBe(1);
    const waits = warehouse.query(LARGE);
    await vi.waitUntil(() => tries() === 3, WAIT_MS);
    await warehouse.run(`SET memory_limit = '1GB'`);
    expect(await waits).toEqual([{ length: '3000000' }]);
    await warehouse.run(`SET memory_limit = '20MB'`);
    const before = tries();
    await expect(warehouse.query(LARGE)).rejects.toThrow('Out of Memory Error');
    expect(tries() - before).toBe(6);
  });
});

describe('a warehouse after a fatal error', () => {
  const test = withOpened(openDuckDb);
  let breaking: string;
  let breakdowns: Error[];
  beforeAll(async () => {
    breaking = await breakingStatement(test.directory);
    await test.warehouse.run('CREATE TABLE notes (text VARCHAR)');
    await test.warehouse.run(`INSERT INTO notes VALUES ('stored')`);
  });
  beforeEach(() => {
    breakdowns = [];
    test.warehouse.onBreakdown = (error) => breakdowns.push(error);
  });

  const notes = async (): Promise<string[]> =>
    (await test.warehouse.query<{ text: string }>('SELECT DISTINCT text FROM notes ORDER BY text')).map(
      ({ text }) => text,
    );
  const ENDLESS = 'SELECT count(*) FROM range(1000000000000) AS numbers(number) WHERE hash(number) % 7 = 3';
  const AGAIN = { kind: 'unavailable', message: 'the warehouse is being reopened; try again' };
  /** Makes the next checkpoint fail, like a checkpoint that runs out of memory. */
  const failCheckpoints = () => test.warehouse.run(`SET debug_checkpoint_abort = 'before_header_non_fatal'`);
  const links = async (): Promise<string[]> =>
    (
      await Promise.all(
        (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
      )
    ).filter((link) => link === test.settings.location);

  it.each([
    {
      what: 'an internal error',
      reason: 'INTERNAL Error',
      begin: `INSERT INTO notes VALUES ('half a transaction')`,
      breakIt: () => breaking,
    },
    // No checkpoint begins while a transaction has written, so this one only reads.
    {
      what: 'a failed checkpoint',
      reason: 'Checkpoint failed',
      begin: 'SELECT text FROM notes',
      breakIt: () => 'CHECKPOINT',
    },
  ])('reopens after $what, with all committed rows and no others', async ({ reason, begin, breakIt }) => {
    const { warehouse } = test;
    await failCheckpoints();
    const before = await notes();
    await warehouse.run(`INSERT INTO notes VALUES ($reason)`, { reason });
    const stream = warehouse.stream(
      'SELECT range, text FROM range(10000000), notes',
      [{}],
      new AbortController().signal,
    );
    await stream.next();
    const story = new EventEmitter();
    const half = warehouse.transaction(async (session) => {
      await session.run(begin);
      story.emit('begun');
      await once(story, 'broken');
      await session.run(`INSERT INTO notes VALUES ('its other half')`);
    });
    await once(story, 'begun');
    // All other sessions are taken, and two callers wait for one.
    const others = Array.from({ length: 17 }, () => warehouse.query(ENDLESS));
    const ends = Promise.allSettled([half, ...others]);
    const failed = warehouse.stream(breakIt(), [{}], new AbortController().signal).next();
    await expect(failed).rejects.toThrow(reason);
    story.emit('broken');
    expect(await notes()).toEqual([...before, reason].sort());
    for (const end of await ends) expect(end).toMatchObject({ status: 'rejected', reason: AGAIN });
    await expect(stream.next()).rejects.toMatchObject(AGAIN);
    expect(breakdowns).toEqual([
      expect.objectContaining({ message: expect.stringContaining(reason) as string }),
    ]);
    await warehouse.run(`INSERT INTO notes VALUES ('afterwards')`);
    expect(await notes()).toContain('afterwards');
  });

  it('holds its file open only once, however often it reopens', async () => {
    const { warehouse } = test;
    const before = await notes();
    for (let times = 0; times < 3; times += 1) {
      await expect(warehouse.query(breaking)).rejects.toThrow('INTERNAL Error');
      expect(await notes()).toEqual(before);
      await failCheckpoints();
      await warehouse.run(`INSERT INTO notes VALUES ('afterwards')`);
      await expect(warehouse.run('CHECKPOINT')).rejects.toThrow('Checkpoint failed');
      expect(await notes()).toEqual(before);
    }
    expect((await links()).length).toBeLessThanOrEqual(1);
  });

  it('reports a transaction as stored if its checkpoint fails after the COMMIT', async () => {
    const { warehouse } = test;
    await failCheckpoints();
    await warehouse.run(`SET checkpoint_threshold = '1KB'`);
    // Its text is larger than the threshold.
    const stored = warehouse.transaction(async (session) => {
      await session.run(`INSERT INTO notes SELECT 'committed' FROM range(3000000)`);
      return 'stored';
    });
    expect(await stored).toBe('stored');
    expect(breakdowns).toHaveLength(1);
    expect(await notes()).toContain('committed');
    await warehouse.run(`DELETE FROM notes WHERE text = 'committed'`);
  });

  it('stays open after an error that only quotes the words of a fatal one', async () => {
    const words = 'FATAL Error: Database "warehouse" has been invalidated because checkpointing failed.';
    await expect(test.warehouse.query('SELECT $words::INTEGER', { words })).rejects.toThrow(words);
    await expect(test.warehouse.query(`SELECT * FROM read_csv('${words}')`)).rejects.toThrow(words);
    expect(breakdowns).toEqual([]);
  });

  it('reopens for a later caller if it fails at first, and holds no file meanwhile', async () => {
    const { warehouse, settings } = test;
    const { spillDirectory } = settings;
    const before = await notes();
    // To reopen the file takes memory for this text, because no checkpoint has moved it to the file yet.
    await warehouse.run(`INSERT INTO notes SELECT repeat('x', 3000000)`);
    // A file takes the place of the folder for spilled rows.
    await rename(spillDirectory, `${spillDirectory}-away`);
    await writeFile(spillDirectory, '');
    await expect(warehouse.query(breaking)).rejects.toThrow('INTERNAL Error');
    for (let times = 0; times < 3; times += 1) await expect(notes()).rejects.toMatchObject(AGAIN);
    await rm(spillDirectory);
    // The file is there, but there is too little memory to read it.
    settings.memoryLimit = '1MB';
    for (let times = 0; times < 2; times += 1) await expect(notes()).rejects.toMatchObject(AGAIN);
    expect(await links()).toEqual([]);
    settings.memoryLimit = '1GB';
    expect(await notes()).toEqual([...before, 'x'.repeat(3_000_000)]);
    expect(breakdowns.map(({ message }) => message)).toEqual([
      expect.stringContaining('INTERNAL Error'),
      ...Array.from({ length: 3 }, () => expect.stringContaining('expected a folder') as string),
      ...Array.from({ length: 2 }, () => expect.stringContaining('Out of Memory Error') as string),
    ]);
  });
});
