import { describe, expect, it } from 'vitest';
import { arrowBytes } from '../../../../api/http/files/arrow-bytes.ts';
import type { Columns, TextRow } from '../../../../warehouse/engine/sql/columns.ts';
import { readArrow } from '../../../support/exports/arrow-table.ts';

async function written(columns: Columns, ...batches: TextRow[][]) {
  const pieces: Uint8Array[] = [];
  const read = (async function* () {
    yield* await Promise.resolve(batches);
  })();
  for await (const piece of arrowBytes(columns, read)) pieces.push(piece);
  return readArrow(await new Blob(pieces.map((piece) => piece.slice())).arrayBuffer());
}

describe('an Arrow stream', () => {
  it('has the type of each column, and its cells in several batches, each of which may be missing', async () => {
    const columns = {
      text: 'VARCHAR',
      day: 'DATE',
      at: 'TIMESTAMPTZ',
      version: 'INTEGER',
      amount: 'DECIMAL(38,6)',
    } as const;
    const nothing = { text: null, day: null, at: null, version: null, amount: null };
    const leapDay = { ...nothing, day: '2024-02-29', at: '2026-02-07T06:00:00.120Z', version: '2' };
    const early = { ...nothing, text: 'ü', day: '1969-12-31', at: '1970-01-01T00:00:00.000Z', amount: '-7' };
    expect(await written(columns, [leapDay, nothing], [early])).toEqual({
      types: {
        text: 'VARCHAR',
        day: 'DATE',
        at: 'TIMESTAMP WITH TIME ZONE',
        version: 'INTEGER',
        amount: 'DECIMAL(38,6)',
      },
      rows: [
        { ...leapDay, at: '2026-02-07 06:00:00.12+00', version: 2 },
        nothing,
        { ...early, at: '1970-01-01 00:00:00+00', amount: '-7.000000' },
      ],
    });
  });

  it.each([
    ['0.10', '0.100000'],
    ['-0.5', '-0.500000'],
    ['12345678901234567890.123456', '12345678901234567890.123456'],
    // Half a millionth rounds away from zero.
    ['0.0000005', '0.000001'],
    ['-0.000000500000000', '-0.000001'],
    ['1e+21', '1000000000000000000000.000000'],
    // 32 digits before the point fit 38 digits with six places, and one more does not.
    ['99999999999999999999999999999999', '99999999999999999999999999999999.000000'],
    ['100000000000000000000000000000000', null],
    ['-100000000000000000000000000000000', null],
  ])('has %s as the exact decimal %s', async (amount, shown) => {
    const { rows } = await written({ amount: 'DECIMAL(38,6)' }, [{ amount }]);
    expect(rows).toEqual([{ amount: shown }]);
  });
});
