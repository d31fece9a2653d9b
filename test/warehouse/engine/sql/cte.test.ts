import { DuckDBInstance } from '@duckdb/node-api';
import { expect, it } from 'vitest';
import { cte, ctes, type Cte } from '../../../../warehouse/engine/sql/cte.ts';

const lines = cte({ name: 'lines', sql: 'SELECT unnest([1, 2, 3]) * $factor AS cost' });
const large = cte({ name: 'large', needs: [lines], sql: 'FROM lines WHERE cost >= $least' });
const small = cte({ name: 'small', needs: [lines], sql: 'FROM lines WHERE cost < $least' });

/** Returns the sum of a CTE's costs, as code makes such fragments: anew at each call. */
const totalOf = (rows: Cte): Cte =>
  cte({ name: 'total', needs: [rows], sql: `SELECT sum(cost) AS cost FROM ${rows.name}` });

it('lists a CTE after what it reads', () => {
  expect(ctes(totalOf(large))).toBe(
    [
      'lines AS (SELECT unnest([1, 2, 3]) * $factor AS cost)',
      'large AS (FROM lines WHERE cost >= $least)',
      'total AS (SELECT sum(cost) AS cost FROM large)',
    ].join(',\n'),
  );
});

it('lists a CTE once, however many read it or name it', () => {
  const once = ctes(lines, large, small);
  expect(once.match(/\w+(?= AS \()/g)).toEqual(['lines', 'large', 'small']);
  expect(ctes(large, small)).toBe(once);
  expect(ctes(large, lines, small, large)).toBe(once);
});

it('lists CTEs that are equal once, although each call of a function makes one', () => {
  expect(ctes(totalOf(large), totalOf(large))).toBe(ctes(totalOf(large)));
});

it('lists CTEs in the order in which they are given, so that the text never varies', () => {
  expect(ctes(small, large).match(/\w+(?= AS \()/g)).toEqual(['lines', 'small', 'large']);
});

it('refuses two different CTEs with one name, also if only other CTEs read them', () => {
  expect(() => ctes(totalOf(large), totalOf(small))).toThrow(
    'two different CTEs of one statement have the name total',
  );
  const otherLines = cte({ name: 'lines', sql: 'SELECT 1 AS cost' });
  const ofOthers = cte({ ...large, needs: [otherLines] });
  expect(() => ctes(large, ofOthers)).toThrow('two different CTEs of one statement have the name lines');
});

it('leaves the parameters of all CTEs to the statement, which binds each of them once', async () => {
  const connection = await (await DuckDBInstance.create()).connect();
  const statement = `WITH ${ctes(small, totalOf(large))}
    SELECT total.cost AS large, (SELECT sum(cost) FROM small) AS small FROM total`;
  const rows = await connection.runAndReadAll(statement, { factor: 10, least: 20 });
  expect(rows.getRowObjectsJson()).toEqual([{ large: '50', small: '10' }]);
  await expect(connection.runAndReadAll(statement, { factor: 10 })).rejects.toThrow('least');
  connection.closeSync();
});
