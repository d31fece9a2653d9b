import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** Real billing rows of three clouds (test/data/README.md). */
export const SAMPLE = resolve(import.meta.dirname, '../../data/focus-1.0-sample.csv.gz');

/** Returns the sample as the text of a CSV file. */
export const readSampleText = async (): Promise<string> => gunzipSync(await readFile(SAMPLE)).toString();
