import type { Day } from '../../shared/calendar.ts';
import type { Readable, ReadingRecord } from './reading-record.ts';

/**
 * Returns the record of a source after a run of some months. The run has replaced loads of those months only. So the next run reads
 * everything that differs from the record, even if the source has by then become again what the record says.
 *
 * @param present all that the source has now.
 * @param periodsOf the billing periods of what the run has read, by name.
 */
export function afterSomeMonths(
  { things, ...record }: ReadingRecord,
  present: readonly Readable[],
  periodsOf: ReadonlyMap<string, readonly Day[]>,
): ReadingRecord {
  const versions = new Map(present.map(({ name, version }) => [name, version]));
  const known = new Set(things.map(({ name }) => name));
  return {
    ...record,
    things: [
      ...things.map((thing) =>
        versions.get(thing.name) === thing.version ? thing : { ...thing, version: null },
      ),
      ...present
        .filter(({ name }) => !known.has(name))
        .map(({ name, bytes, writtenAt }) => ({
          name,
          version: null,
          bytes,
          writtenAt,
          periods: periodsOf.get(name) ?? [],
        })),
    ],
  };
}
