import { DuckDBInstance, LIST, listValue, VARCHAR, type DuckDBConnection } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isList, withValues, type Parameter } from '../../../../warehouse/engine/sql/parameters.ts';

let connection: DuckDBConnection;
beforeAll(async () => {
  connection = await (await DuckDBInstance.create()).connect();
});
afterAll(() => {
  connection.closeSync();
});

/** Asks for a value beside texts, names and comments that look like parameters. */
const ASKS = `SELECT $value AS value, typeof($value) AS type, '$value''' AS text, "$value" AS name -- $value isn't one
  FROM (SELECT 1 AS "$value") WHERE $value IS NOT DISTINCT FROM $value`;

async function bound(value: Parameter) {
  const reader = isList(value)
    ? await connection.runAndReadAll(ASKS, { value: listValue([...value]) }, { value: LIST(VARCHAR) })
    : await connection.runAndReadAll(ASKS, { value });
  return reader.getRowObjectsJson();
}
async function written(value: Parameter) {
  const sql = withValues(ASKS, { value });
  return sql === null ? null : (await connection.runAndReadAll(sql)).getRowObjectsJson();
}

const awkward = fc.constantFrom("'", '"', '$value', '--', '\n', '\\', ';', '$$', 'é', '😀', '\u0000');
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(awkward).map((parts) => parts.join('')),
);
const parameter: fc.Arbitrary<Parameter> = fc.oneof(
  text,
  fc.integer(),
  fc.maxSafeInteger(),
  // The driver binds a larger whole number as another one. DuckDB refuses it as a literal.
  fc.double().filter((number) => !Number.isInteger(number) || Math.abs(number) < 2 ** 63),
  fc.bigInt({ min: -(2n ** 120n), max: 2n ** 120n }),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.option(text), { maxLength: 5 }),
);

it('a value in a statement is the value that the driver would bind, of the same type', async () => {
  await fc.assert(
    fc.asyncProperty(parameter, async (value) => {
      const inStatement = await written(value);
      if (inStatement === null) expect(JSON.stringify(value)).toContain('\\u0000');
      else expect(inStatement).toEqual(await bound(value));
    }),
    { numRuns: 500 },
  );
});

it.each([
  ['a text with a NUL, which would end the statement', "a\0'; DROP TABLE notes; --"],
  ['a text of a megabyte', 'x'.repeat(1_000_000)],
  ['a list of 10,000 texts', Array.from({ length: 10_000 }, String)],
])('%s is bound', (_, value) => {
  expect(withValues('SELECT $value', { value })).toBeNull();
});

it('a parameter without a value stays, so that DuckDB refuses it', () => {
  expect(withValues('SELECT $value, $other', { other: 'x' })).toBe("SELECT $value, CAST('x' AS VARCHAR)");
});
