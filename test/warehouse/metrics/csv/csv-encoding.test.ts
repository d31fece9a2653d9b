import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asUtf8, type CsvCharset } from '../../../../warehouse/metrics/csv/csv-encoding.ts';

const bigEndian = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

/** Returns the text of a file that arrives in pieces of so many bytes. */
async function read(file: Buffer, declared: CsvCharset | null = null, size = 3): Promise<string> {
  const pieces = async function* (): AsyncGenerator<Buffer> {
    for (let from = 0; from < file.length; from += size)
      yield await Promise.resolve(file.subarray(from, from + size));
  };
  const parts: Buffer[] = [];
  for await (const part of asUtf8(pieces(), declared)) parts.push(part);
  return Buffer.concat(parts).toString();
}

describe('a file of values', () => {
  it('is the same in every encoding, however its bytes are cut', async () => {
    const unit = fc.oneof(
      fc.constantFrom('1', ',', '\n', 'é', '名', '💸'),
      fc.string({ unit: 'binary', maxLength: 1 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.string({ unit }), fc.integer({ min: 1, max: 9 }), async (content, size) => {
        const text = `\ufeff${content}`;
        expect(await read(Buffer.from(text), null, size)).toBe(text);
        expect(await read(Buffer.from(text, 'utf16le'), null, size)).toBe(text);
        expect(await read(bigEndian(text), null, size)).toBe(text);
      }),
    );
  });

  it('is read as its byte order mark says, or as declared', async () => {
    expect(await read(Buffer.from('1,é'), 'utf-8')).toBe('1,é');
    expect(await read(Buffer.from('1,é', 'utf16le'), 'utf-16le')).toBe('1,é');
    expect(await read(bigEndian('1,é'), 'utf-16be')).toBe('1,é');
    for (const declared of [null, 'utf-8', 'utf-16', 'utf-16be'] as const)
      expect(await read(bigEndian('\ufeff1,é'), declared)).toBe('\ufeff1,é');
    for (const short of ['', '1']) expect(await read(Buffer.from(short))).toBe(short);
  });

  it.each<[Buffer, CsvCharset | null, string]>([
    [Buffer.from('1,2', 'utf16le'), 'utf-16', 'content-type: expected text/csv with the charset of the file, got utf-16 for a file without a byte order mark of UTF-16'],
    [Buffer.from('\ufeff1,2'), 'utf-16', 'content-type: expected text/csv with the charset of the file, got utf-16 for a file without a byte order mark of UTF-16'],
    [Buffer.from('1'), 'utf-16', 'content-type: expected text/csv with the charset of the file, got utf-16 for a file without a byte order mark of UTF-16'],
    [bigEndian('\ufeff1,2'), 'utf-16le', 'content-type: expected text/csv with the charset of the file, got utf-16le for a file in utf-16be'],
    [Buffer.from('\ufeff1\n\n2\ud83d3\n', 'utf16le'), null, 'line 3: expected UTF-16, got invalid UTF-16'],
    [Buffer.from('\ufeff1\n\udc00', 'utf16le'), null, 'line 2: expected UTF-16, got invalid UTF-16'],
    [Buffer.from('\ufeff1\n2\ud83d', 'utf16le'), null, 'line 2: expected UTF-16, got invalid UTF-16'],
    [Buffer.concat([Buffer.from('\ufeff1', 'utf16le'), Buffer.from('2')]), null, 'line 1: expected UTF-16, got invalid UTF-16'],
  ])('%j declared as %j is rejected', async (file, declared, message) => {
    for (const size of [1, 2, 3, 100]) await expect(read(file, declared, size)).rejects.toThrow(message);
  }); // prettier-ignore
});
