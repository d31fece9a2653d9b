import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ALL_BUT_VALUES,
  ALL_SHOWN,
  RevisionLog,
  type Part,
} from '../../../../warehouse/engine/cache/revisions.ts';
import { compact, flushInlinedRows } from '../../../../warehouse/engine/maintenance/maintenance.ts';
import { BESIDE } from '../../../../warehouse/engine/cache/touched.ts';
import { Warehouse } from '../../../../warehouse/engine/warehouse.ts';
import { describeOnBothEngines } from '../../../support/warehouse/engines.ts';
import { withOpened } from '../../../support/with-opened.ts';

describeOnBothEngines('revisions of organisations', (open) => {
  const test = withOpened(open);
  let other: Warehouse;
  beforeAll(async () => {
    // Another node, if the engine allows one.
    other = test.warehouse.isDuckLake ? await Warehouse.open(test.settings) : test.warehouse;
  });
  afterAll(async () => {
    if (other !== test.warehouse) other.close();
  });

  const stateOf = async (orgId: string, parts: readonly Part[]) =>
    (await test.warehouse.revisions()).of(orgId, parts);

  /** Returns which of several parts have another revision after `change`. */
  const moved = async (orgId: string, parts: readonly Part[], change: () => Promise<unknown>) => {
    const before = await Promise.all(parts.map((part) => stateOf(orgId, [part])));
    await change();
    const after = await Promise.all(parts.map((part) => stateOf(orgId, [part])));
    return parts.filter((_, index) => after[index] !== before[index]);
  };

  const insert = (warehouse: Warehouse, table: string, orgId: string) =>
    warehouse.run(`INSERT INTO ${table} BY NAME SELECT $org AS org_id`, { org: orgId });

  it('move with each write of any table by any node, and only for its organisation and table', async () => {
    const tables = await test.warehouse.query<{ name: string }>(
      `SELECT DISTINCT table_name AS name FROM duckdb_columns()
       WHERE database_name = 'warehouse' AND column_name = 'org_id'
         AND table_name IN (SELECT table_name FROM duckdb_tables() WHERE database_name = 'warehouse') ORDER BY name`,
    );
    expect(tables.length).toBeGreaterThan(40);
    for (const { name } of tables) {
      const others = name === 'metric_value_changes' ? [] : [ALL_BUT_VALUES];
      const shown = BESIDE.has(name) ? [] : [ALL_SHOWN, ...others];
      const parts = [ALL_SHOWN, ALL_BUT_VALUES, name, name === 'loads' ? 'settled_months' : 'loads'];
      for (const node of [test.warehouse, other]) {
        expect(await moved('org_1', parts, () => insert(node, name, 'org_1'))).toEqual([...shown, name]);
        expect(await moved('org_1', parts, () => insert(node, name, 'org_2'))).toEqual([]);
      }
    }
  });

  it('move for all organisations after a write that names none', async () => {
    for (const node of [test.warehouse, other])
      for (const change of [
        'DELETE FROM settled_months',
        'UPDATE settled_months SET backfilled = true',
        'CREATE TABLE later AS FROM settled_months',
        'ALTER TABLE later RENAME TO latest',
        'DROP TABLE latest',
      ]) {
        await insert(test.warehouse, 'settled_months', 'org_2');
        expect(await moved('org_1', [ALL_SHOWN], () => node.run(change))).toEqual([ALL_SHOWN]);
      }
  });

  it('follow values by metric', async () => {
    const table = 'metric_value_changes';
    const parts = [{ table, metric: 'met_1' }, { table, metric: 'met_2' }, table];
    const write = (sql: string, metric?: string) => () =>
      other.run(sql, { org: 'org_1', ...(metric === undefined ? {} : { metric }) });
    const add = `INSERT INTO ${table} BY NAME SELECT $org AS org_id`;
    expect(await moved('org_1', parts, write(`${add}, $metric AS metric_id`, 'met_1'))).toEqual([
      parts[0],
      table,
    ]);
    expect(await moved('org_1', parts, write(add))).toEqual(parts);
    expect(await moved('org_1', parts, () => other.run(`DELETE FROM ${table}`))).toEqual(parts);
  });

  it('move once a transaction commits, and not if it fails or writes nothing', async () => {
    const { warehouse } = test;
    expect(
      await moved('org_1', ['loads'], () =>
        warehouse.transaction(async (session) => {
          await session.run('INSERT INTO loads BY NAME SELECT $org AS org_id', { org: 'org_1' });
          // A reader that does not see the row yet keeps its revision.
          expect(await moved('org_1', ['loads'], () => warehouse.query('FROM loads'))).toEqual([]);
        }),
      ),
    ).toEqual(['loads']);
    const fail = async () => {
      const failed = warehouse.transaction(async (session) => {
        await session.run('INSERT INTO loads BY NAME SELECT $org AS org_id', { org: 'org_1' });
        throw new Error('it fails');
      });
      await expect(failed).rejects.toThrow('it fails');
    };
    expect(await moved('org_1', ['loads'], fail)).toEqual([]);
    const onlyReads = () =>
      warehouse.transaction(async (session) => {
        await session.run('CREATE OR REPLACE TEMP TABLE read AS FROM loads');
        await session.run('INSERT INTO temp.read FROM loads');
        await session.run('DROP TABLE temp.read');
      });
    expect(await moved('org_1', ['loads', ALL_SHOWN], onlyReads)).toEqual([]);
  });

  it('are refused to a statement whose table nobody can tell', async () => {
    await expect(
      test.warehouse.run('WITH none AS (SELECT 1) INSERT INTO loads BY NAME SELECT NULL AS org_id'),
    ).rejects.toThrow('the warehouse cannot tell what this statement writes: WITH none');
  });

  it('stay when the maintenance moves rows: from the catalog to files, once a table has more than 1,000 there, and at night to one file', async ({
    skip,
  }) => {
    skip(!test.warehouse.isDuckLake, 'a DuckDB file has no catalog');
    const rows = async (table: string): Promise<string> => {
      const [counted] = await test.warehouse.query<{ rows: string }>(`SELECT count(*) AS rows FROM ${table}`);
      return counted?.rows ?? '';
    };
    const before = Number(await rows('webhook_attempts'));
    // A write of more than ten rows goes to a file at once.
    for (let write = 0; write < 101; write += 1)
      await other.run(`INSERT INTO webhook_attempts BY NAME SELECT $org AS org_id FROM range(10)`, {
        org: 'org_3',
      });
    const flushed: number[] = [];
    const flush = async () => flushed.push(await flushInlinedRows(other));
    expect(await moved('org_3', ['webhook_attempts'], flush)).toEqual([]);
    await flush();
    expect(flushed).toEqual([1, 0]);
    expect(Number(await rows('webhook_attempts'))).toBe(before + 1_010);

    const files = async () =>
      (await other.query(`FROM ducklake_list_files('warehouse', 'webhook_attempts')`)).length;
    const flushedFiles = await files();
    await insert(other, 'webhook_attempts', 'org_3');
    expect(await moved('org_3', ['webhook_attempts', ALL_SHOWN], () => compact(other))).toEqual([]);
    expect(await files()).toBe(flushedFiles);
    expect(Number(await rows('webhook_attempts'))).toBe(before + 1_011);
  });

  it('move after anything that no node has announced', async ({ skip }) => {
    skip(!test.warehouse.isDuckLake, 'a DuckDB file has one writer');
    const parts = ['loads', ALL_SHOWN];
    await insert(other, 'loads', 'org_2');
    const flush = () => other.run(`CALL ducklake_flush_inlined_data('warehouse')`);
    expect(await moved('org_1', parts, flush)).toEqual(parts);
    expect(await moved('org_1', parts, () => insert(other, 'loads', 'org_2'))).toEqual([]);
    // The snapshot that this node has seen last is gone, so that it cannot know what came after it.
    const expire = async () => {
      await insert(other, 'loads', 'org_2');
      await other.run(`CALL ducklake_expire_snapshots('warehouse', older_than => now())`);
    };
    expect(await moved('org_1', parts, expire)).toEqual(parts);
    expect(await moved('org_1', parts, () => insert(other, 'loads', 'org_2'))).toEqual([]);
  });
});

describe('revisions', () => {
  const touch = (org: string) => ({ table: 'loads', orgs: [org], metric: null });

  it('wait for a commit that is under way', async () => {
    const revisions = new RevisionLog();
    const before = await revisions.of('org_1', ['loads']);
    const end = revisions.begin([touch('org_1')]);
    const told: string[] = [];
    const ask = async (name: string, part: Part) => {
      const revision = await revisions.of('org_1', [part]);
      told.push(`${name} ${revision > before}`);
    };
    const asked = [ask('loads', 'loads'), ask('shown', ALL_SHOWN)];
    // Nobody else waits.
    expect(await revisions.of('org_1', ['settled_months'])).toBe(before);
    expect(await revisions.of('org_2', ['loads'])).toBe(before);
    expect(told).toEqual([]);
    end();
    await Promise.all(asked);
    expect(told.sort()).toEqual(['loads true', 'shown true']);
  });

  it('are never the same again after a change, even if it was forgotten', async () => {
    const revisions = new RevisionLog(4);
    const seen = new Set<number>([await revisions.of('org_1', ['loads'])]);
    for (let round = 1; round <= 50; round += 1) {
      revisions.mark([touch('org_1')]);
      // Each of these takes two places. The marks of the first organisation are forgotten.
      for (let org = 2; org < 2 + (round % 4); org += 1) revisions.mark([touch(`org_${org}`)]);
      seen.add(await revisions.of('org_1', ['loads']));
      expect(seen.size).toBe(round + 1);
    }
  });
});
