import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csvLines } from '../../../../warehouse/metrics/csv/csv-lines.ts';

async function recordsOf(pieces: Iterable<Buffer>): Promise<string[][]> {
  const bytes = async function* (): AsyncGenerator<Buffer> {
    for (const piece of pieces) yield await Promise.resolve(piece);
  };
  const records: string[][] = [];
  for await (const block of csvLines(bytes(), { isHeader: () => false })) records.push(...block.records);
  return records;
}

const cut = function* (bytes: Buffer, sizes: readonly number[]): Generator<Buffer> {
  for (let from = 0, turn = 0; from < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(from, from + size);
    from += size;
  }
};

it('reads the same CSV lines, however their bytes are cut into chunks', async () => {
  const label = fc.oneof(
    fc.integer({ min: 0, max: 100 }).map((length) => 'é'.repeat(length)),
    fc.integer({ min: 3000, max: 4000 }).map((length) => 'é'.repeat(length)),
  );
  const sizes = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(label, { maxLength: 60 }),
      sizes,
      fc.boolean(),
      async (labels, sizes, endsWithLineFeed) => {
        const text = `\ufeff${labels.map((each, line) => `${each},"${line}"`).join('\n')}${endsWithLineFeed ? '\n' : ''}`;
        const expected =
          text === '\ufeff'
            ? []
            : text === '\ufeff\n'
              ? [['']]
              : labels.map((each, line) => [each, line.toString()]);
        expect(await recordsOf(cut(Buffer.from(text), sizes))).toEqual(expected);
      },
    ),
    { numRuns: 100 },
  );
  const lines = 'a,1\n'.repeat(20_000);
  expect(await recordsOf(cut(Buffer.from(lines), [1]))).toHaveLength(20_000);
});

it('reports the number of a line that is too long, wherever its bytes are cut', async () => {
  const text = Buffer.from(`a,1\n${'x'.repeat(100_000)}\na,1\n`);
  for (const size of [1, 5, 40_000, 200_000])
    await expect(recordsOf(cut(text, [size]))).rejects.toThrow(/^line 2: expected at most 8192 bytes/);
});
