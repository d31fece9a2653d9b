import { randomUUID } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { periodToWire, type Frequency } from '../../domain/metrics/metric.ts';
import { sentTwice } from '../../domain/metrics/value-rules.ts';
import type { Day } from '../../domain/shared/calendar.ts';
import { invalid, type ServiceError } from '../../domain/shared/errors.ts';
import { csvValues, RecordJudge, type FileRules } from './csv/csv-values.ts';
import type { RoundedResult } from './metric-values.ts';
import type { Session } from '../engine/session.ts';
import { changeRevenue, type RevenueOf } from './revenue-changes.ts';
import { changeValues, type Change, type Staged } from './value-changes.ts';
import {
  firstDuplicate,
  valueFileLine,
  valuesOfFile,
  type Duplicate,
  type NumberedValue,
} from './value-file.ts';
import type { Warehouse } from '../engine/warehouse.ts';

/** Bytes of values compared at a time. */
const BYTES_AT_ONCE = 8 * 2 ** 20;

/**
 * Writes the values of a CSV file, all or none, like `writeValues` (docs/http.md#send-values). The values wait in a file of our
 * own, never in memory. If the process is killed, the file goes with its directory. `signal` stops the upload, and then nothing
 * is stored. Throws `invalid` with the first wrong lines of the file, counted from 1.
 */
export async function writeCsv(
  warehouse: Warehouse,
  orgId: string,
  metric: FileRules & { id: string },
  bytes: AsyncIterable<Buffer>,
  change: Change,
  signal: AbortSignal,
): Promise<RoundedResult> {
  const judge = new RecordJudge(metric, change.now);
  const file = join(warehouse.settings.spillDirectory, `upload-${randomUUID()}`);
  try {
    await writeFile(file, linesOf(csvValues(judge, bytes)), { flag: 'wx', mode: 0o600, signal });
    const { size } = await stat(file);
    const staged = { relation: valuesOfFile(file), parts: Math.ceil(size / BYTES_AT_ONCE) };
    const stage = async (session: Session): Promise<Staged> => {
      const twice = await firstDuplicate(session, staged.relation);
      if (twice !== null) throw duplicate(twice, metric.frequency);
      return staged;
    };
    const { removed: _, ...written } = await changeValues(warehouse, orgId, metric.id, stage, change, signal);
    return { ...written, rounded: judge.rounded };
  } finally {
    await rm(file, { force: true });
  }
}

/**
 * Writes the revenue of a CSV file, all or none, as {@link writeCsv} does for counts. The values wait in memory, because no file
 * may hold revenue. They have no labels, so that a file has at most one value for each day.
 */
export async function writeRevenueCsv(
  warehouse: Warehouse,
  of: RevenueOf,
  rules: FileRules,
  bytes: AsyncIterable<Buffer>,
  change: Change,
  signal: AbortSignal,
): Promise<RoundedResult> {
  const judge = new RecordJudge(rules, change.now);
  const values = new Map<Day, NumberedValue>();
  for await (const block of csvValues(judge, bytes))
    for (const value of block) {
      const before = values.get(value.period);
      if (before !== undefined)
        throw duplicate({ ...value, before: before.line.toString() }, rules.frequency);
      values.set(value.period, value);
    }
  const revenue = new Map([...values].map(([period, { value }]) => [period, value]));
  const { removed: _, ...written } = await changeRevenue(warehouse, of, revenue, change, signal);
  return { ...written, rounded: judge.rounded };
}

const linesOf = async function* (blocks: AsyncIterable<readonly NumberedValue[]>): AsyncGenerator<string> {
  for await (const values of blocks) yield values.map(valueFileLine).join('');
};

function duplicate({ line, before, period, label }: Duplicate, frequency: Frequency): ServiceError {
  const sent = { period: periodToWire(period, frequency), label };
  return invalid(`line ${line}: ${sentTwice(sent, 'file', `line ${before}`)}`);
}
