import { randomUUID } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Day } from '../../domain/shared/calendar.ts';
import type { Session } from '../engine/session.ts';
import type { Warehouse } from '../engine/warehouse.ts';
import { labelsFit, placeOf, storeGiven, withRemoved } from './given-values.ts';
import { hasLabels, requireFit } from './label-key.ts';
import { storeSmall } from './small-changes.ts';
import { dropStaged, stageGiven, stageRemoved, storeStaged, type Staged } from './staged-values.ts';
import {
  valuesLock,
  type Change,
  type ChangeResult,
  type NewValue,
  type Removal,
  type ValuesOf,
} from './value-changes.ts';
import {
  firstDuplicate,
  valueFileLine,
  valuesOfFile,
  type Duplicate,
  type NumberedValue,
} from './value-file.ts';

/** Values that arrive in parts. Those of counts wait in a file of our own. */
export interface ValueStream {
  parts: AsyncIterable<Iterable<NumberedValue>>;
  /** Returns the error for a period and label that an earlier value has. */
  comesTwice: (again: Duplicate) => Error;
}

/** What else belongs to a write. */
export interface WriteTerms {
  /** Refuses the write, under the lock of the metric's values. */
  check?: (session: Session) => Promise<void>;
  /** Returns what the write removes, once all values have arrived. */
  removal?: () => Removal | null;
  /** Stops the write before it is stored. It interrupts the running statement, and the call fails. */
  signal?: AbortSignal;
}

/** The result of a write; see {@link ChangeResult}. */
export type WriteResult = Omit<ChangeResult, 'removed'>;

/**
 * Creates or replaces values of one metric, all or none (docs/http.md#send-values). Every way in ends here: requests, values by
 * hand, files and imports. Each period and label comes at most once.
 *
 * - A value that is stored already is no change, and leaves no trace (docs/design.md#rows-are-only-inserted). Each change is one
 *   row in the log. All rows of one call share a change id, which sorts after everything that they replace.
 * - Throws a conflict if the metric's label key has changed since the caller read it.
 * - What follows from a change does not hold it up: bills that are split by the metric are sealed again by the next read of bills,
 *   or by the evaluation of events.
 */
export async function writeValues(
  warehouse: Warehouse,
  of: ValuesOf,
  given: readonly NewValue[] | ValueStream,
  change: Change,
  terms: WriteTerms = {},
): Promise<WriteResult> {
  const { removed: _, ...written } =
    'parts' in given
      ? await withHeld(warehouse, of, given, terms, (held) =>
          changeValues(warehouse, of, held, change, terms),
        )
      : Object.keys(terms).length === 0 && commitsTogether(of, given)
        ? await storeSmall(warehouse, { of, values: given, change })
        : await changeValues(warehouse, of, given, change, terms);
  return written;
}

/** The values to remove: from `start` to `end`, both inclusive; null leaves that end open, or means all labels. */
export interface ValueRange {
  start: Day | null;
  end: Day | null;
  label: string | null;
}

/**
 * Removes values, all or none. Each removal is a change in the history. Absent values are no change, so that a second removal
 * does nothing.
 */
export async function removeValues(
  warehouse: Warehouse,
  of: ValuesOf,
  { start, end, label }: ValueRange,
  change: Change,
): Promise<Pick<ChangeResult, 'removed' | 'months'>> {
  const parameters = { org: of.orgId, metric: of.metricId, start, end, label };
  const removal = (): Removal => ({ sql: VALUES_IN_RANGE, parameters });
  const { removed, months } = await changeValues(warehouse, of, [], change, { removal });
  return { removed, months };
}

const VALUES_IN_RANGE = `
SELECT period, label FROM metric_values
WHERE org_id = $org AND metric_id = $metric
  AND period BETWEEN COALESCE($start::DATE, DATE '0001-01-01') AND COALESCE($end::DATE, DATE '9999-12-31')
  AND ($label IS NULL OR label = $label)`;

/** Values that have all arrived: in memory, or in a file. */
type Held = readonly NewValue[] | FileOfValues;

interface FileOfValues extends Staged {
  comesTwice: ValueStream['comesTwice'];
}

/** Bytes of a file compared at a time. */
const BYTES_AT_ONCE = 8 * 2 ** 20;

/**
 * Runs `work` with the values of a stream. Revenue waits in memory, because no file may hold it; it has no labels, and so at most
 * one value for each day. If the process is killed, a file goes with its directory.
 */
async function withHeld<Result>(
  { settings }: Warehouse,
  { vault }: ValuesOf,
  { parts, comesTwice }: ValueStream,
  { signal }: WriteTerms,
  work: (held: Held) => Promise<Result>,
): Promise<Result> {
  if (vault !== undefined) return work(await inMemory(parts, comesTwice));
  const file = join(settings.spillDirectory, `values-${randomUUID()}`);
  try {
    await writeFile(file, linesOf(parts), { flag: 'wx', mode: 0o600, signal });
    const { size } = await stat(file);
    const staged = { relation: valuesOfFile(file), parts: Math.ceil(size / BYTES_AT_ONCE), comesTwice };
    return await work(size === 0 ? [] : staged);
  } finally {
    await rm(file, { force: true });
  }
}

async function inMemory(
  parts: ValueStream['parts'],
  comesTwice: ValueStream['comesTwice'],
): Promise<NumberedValue[]> {
  const values = new Map<string, NumberedValue>();
  for await (const part of parts)
    for (const value of part) {
      const before = values.get(placeOf(value));
      if (before !== undefined) throw comesTwice({ ...value, before: before.line.toString() });
      values.set(placeOf(value), value);
    }
  return [...values.values()];
}

const linesOf = async function* (parts: ValueStream['parts']): AsyncGenerator<string> {
  for await (const part of parts) {
    let text = '';
    for (const value of part) text += valueFileLine(value);
    yield text;
  }
};

/** So many values are compared faster in memory. */
const MOST_FEW = 100;

/** Compares values with the stored ones, and stores the changes: revenue and few counts in memory, other counts in DuckDB. */
const changeValues = (
  warehouse: Warehouse,
  of: ValuesOf,
  held: Held,
  change: Change,
  { check, removal = () => null, signal }: WriteTerms,
): Promise<ChangeResult> =>
  warehouse.withLock([valuesLock(of.metricId)], async (confirm) => {
    const labelled = await hasLabels(warehouse, await warehouse.revisions(), of);
    return warehouse.session(async (session) => {
      await check?.(session);
      const removed = removal();
      const store = (work: () => Promise<ChangeResult>): Promise<ChangeResult> =>
        session.transaction(async () => {
          const stored = await work();
          // An interruption between two statements has no effect.
          signal?.throwIfAborted();
          return stored;
        }, confirm);
      if (comparesInMemory(held, of, removed)) {
        const values = removed === null ? held : await withRemoved(session, held, removed);
        requireFit(labelsFit(values, labelled));
        return store(async () => {
          const [stored] = await storeGiven(session, [{ of, values, change }], signal);
          if (stored === undefined) throw new Error('expected a result');
          return stored;
        });
      }
      try {
        const given = 'relation' in held ? await checked(session, held) : await stageGiven(session, held);
        const staged = removed === null ? given : await stageRemoved(session, given, removed);
        return await store(() => storeStaged(session, of, staged, change, labelled));
      } finally {
        await dropStaged(session);
      }
    }, signal);
  });

/**
 * Whether a change is stored together with others (small-changes.ts): it has few counts. Nobody else waits for the key of revenue.
 */
export const commitsTogether = ({ vault }: ValuesOf, values: readonly NewValue[]): boolean =>
  vault === undefined && values.length <= MOST_FEW;

/** Whether values are compared in memory. How many counts a change removes is not known before. */
const comparesInMemory = (
  held: Held,
  { vault }: ValuesOf,
  removed: Removal | null,
): held is readonly NewValue[] =>
  !('relation' in held) && (vault !== undefined || (held.length <= MOST_FEW && removed === null));

async function checked(session: Session, file: FileOfValues): Promise<Staged> {
  const twice = await firstDuplicate(session, file.relation);
  if (twice !== null) throw file.comesTwice(twice);
  return file;
}
