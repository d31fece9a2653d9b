// The separate process that counts the records of a large local file at a low priority (count-apart.ts). It writes one line of
// JSON: the count, or the damage of the file.
import { countRecords, gunzipped, isDamage, localBytes, type Counted, type CountedBy } from './count-rows.ts';

/** What the process writes. */
export type CountedApart = Counted | { damage: string };

const [path = '', by, compression] = process.argv.slice(2);

async function counted(): Promise<CountedApart> {
  const bytes = localBytes(path);
  try {
    return await countRecords(compression === 'gzip' ? gunzipped(bytes) : bytes, by as CountedBy);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { damage: error.message };
  }
}

process.stdout.write(JSON.stringify(await counted()));
