import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the forms in which a file may hold a number: as text, and as the integers and doubles of databases. */
export function formsOf(amount: number): Buffer[] {
  const text = amount.toFixed(2);
  const cents = BigInt(text.replace('.', ''));
  const double = Buffer.alloc(8);
  double.writeDoubleLE(amount);
  // A DECIMAL is an integer of its last place: with 2 to 15 decimals.
  const integers = [2, 6, 10, 15].map((places) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt.asUintN(64, cents * 10n ** BigInt(places - 2)));
    return bytes;
  });
  const texts = [text, Number(text).toString(), cents.toString(), Number(text).toLocaleString('en-US')];
  return [...texts.map((form) => Buffer.from(form)), double, ...integers];
}

const LONGEST_FORM = 4_096;

/** Returns the files below a folder that hold any of some bytes. Reads files in pieces. */
export async function filesWith(folder: string, forms: readonly Buffer[]): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    let end = Buffer.alloc(0);
    for await (const piece of createReadStream(file)) {
      const bytes = Buffer.concat([end, piece as Buffer]);
      if (forms.some((form) => bytes.includes(form))) {
        found.push(file.slice(folder.length + 1));
        break;
      }
      end = bytes.subarray(-LONGEST_FORM);
    }
  }
  return found;
}
