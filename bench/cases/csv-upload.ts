import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BareResult, BareStatement } from '../bare/bare-duckdb.ts';
import { startBareProcess } from '../bare/bare-process.ts';
import { as, newMetric, newOrganisation } from '../client/client.ts';
import { keepAliveClient } from '../client/keep-alive-client.ts';
import { longLabels } from '../data/long-labels.ts';
import { alone, compared, describe, type Measurement } from '../measurement.ts';
import type { RunOptions } from '../run-options.ts';
import { say } from '../say.ts';
import { mostMemoryDuring, startService } from '../client/service.ts';

const LINES = 200_000;
const MOST_RATIO = 3;
const MEMORY_LIMIT = '1GB';
const MILLISECONDS_PER_DAY = 86_400_000;
const FIRST_DAY = Date.UTC(1450, 0, 1) / MILLISECONDS_PER_DAY;
const WARM_UP = 1;

/** Returns a file with a value for every day from 1450 on. Every third value has decimals. */
const file = (version: number): Buffer =>
  Buffer.from(
    `period,value\n${Array.from({ length: LINES }, (_, index) => {
      const day = new Date((FIRST_DAY + index) * MILLISECONDS_PER_DAY).toISOString().slice(0, 10);
      return `${day},${((index * 7919) % 100_000) + version}${index % 3 === 0 ? '.25' : ''}\n`;
    }).join('')}`,
  );

const MOST_GROWTH_MIB = 64;
const BYTES_PER_MIB = 2 ** 20;

/** Measures the memory that a service gains during an upload of long labels, after only a small upload. */
async function memoryGrowth(): Promise<Measurement> {
  const directory = await mkdtemp(join(tmpdir(), 'cost-analytics-bench-'));
  const service = await (await startService(directory)).ready;
  const client = keepAliveClient();
  try {
    const secret = await newOrganisation(service);
    const upload = async (name: string, body: Buffer): Promise<void> => {
      const metricId = await newMetric(as(service, secret), name, 'region');
      const headers = { 'x-api-key': secret, 'content-type': 'text/csv' };
      await client.post(`${service.url}/api/v1/metrics/${metricId}/values/csv`, headers, body);
    };
    await upload('small', longLabels(LINES / 10));
    const body = longLabels(LINES);
    const before = await service.memory();
    const { most } = await mostMemoryDuring(service, () => upload('large', body));
    const name = `memory that an upload of ${LINES} long labels adds (${(body.length / BYTES_PER_MIB).toFixed(0)} MiB)`;
    const named = { benchmark: 'csv', name, unit: 'MiB', target: MOST_GROWTH_MIB } as const;
    const measurement = alone(named, (most - before) / BYTES_PER_MIB);
    say(`csv: ${describe(measurement)}`);
    return measurement;
  } finally {
    client.close();
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

/** The least work that can load the file: with its own columns, or with all columns that the product stores. */
const LIMITS = {
  sent: (path: string): string => `CREATE OR REPLACE TABLE bare.sent AS FROM read_csv('${path}')`,
  stored: (path: string): string => `
CREATE OR REPLACE TABLE bare.stored AS
SELECT 'org_019f0000000070008000000000000000' AS org_id, 'met_019f0000000070008000000000000000' AS metric_id,
  '019f0000-0000-7000-8000-000000000000'::UUID AS change_id, period, '' AS label, value::DECIMAL(38,10) AS value, 'csv' AS source,
  'key' AS changed_by_type, 'key_019f0000000070008000000000000000' AS changed_by_id, 'First admin key' AS changed_by_name,
  TIMESTAMP '2026-01-01' AS changed_at
FROM read_csv('${path}')`,
};

/**
 * Compares uploads of a CSV file of 200,000 lines, as new values and as replacements, with bare DuckDB reading it into a file.
 * Also measures the memory that an upload of long labels takes.
 */
export async function csvUpload(options: RunOptions): Promise<Measurement[]> {
  const directory = await mkdtemp(join(tmpdir(), 'cost-analytics-bench-'));
  const service = await (await startService(directory)).ready;
  const bare = startBareProcess<BareStatement, BareResult>('bare-duckdb', [
    MEMORY_LIMIT,
    join(directory, 'bare-spill'),
  ]);
  const client = keepAliveClient();
  try {
    const bodies = { created: file(0), replaced: file(1) };
    const path = join(directory, 'values.csv');
    await writeFile(path, bodies.created);
    await bare.ask({ sql: `ATTACH '${join(directory, 'bare.duckdb')}' AS bare` });
    const secret = await newOrganisation(service);
    const samples = {
      created: [] as number[],
      replaced: [] as number[],
      sent: [] as number[],
      stored: [] as number[],
    };
    for (let round = -WARM_UP; round < (options.quick ? 3 : options.repetitions * 2); round += 1) {
      const metricId = await newMetric(as(service, secret), `orders ${round}`);
      const url = `${service.url}/api/v1/metrics/${metricId}/values/csv`;
      const headers = { 'x-api-key': secret, 'content-type': 'text/csv' };
      const measured = {
        sent: (await bare.ask({ sql: LIMITS.sent(path) })).seconds * 1000,
        stored: (await bare.ask({ sql: LIMITS.stored(path) })).seconds * 1000,
        created: await client.post(url, headers, bodies.created),
        replaced: await client.post(url, headers, bodies.replaced),
      };
      if (round < 0) continue;
      for (const name of ['sent', 'stored', 'created', 'replaced'] as const)
        samples[name].push(measured[name]);
    }
    const measurements = [await memoryGrowth()];
    for (const kind of ['created', 'replaced'] as const) {
      for (const [rows, limit] of [
        ['sent', 'as it is'],
        ['stored', 'with what we store'],
      ] as const) {
        const measurement = compared(
          {
            benchmark: 'csv',
            name: `${LINES} lines ${kind}: against DuckDB reading the file into a table, ${limit}`,
            unit: 'ms',
            target: MOST_RATIO,
          },
          { ours: samples[kind], limit: samples[rows] },
        );
        say(`csv: ${describe(measurement)}`);
        measurements.push(measurement);
      }
    }
    return measurements;
  } finally {
    client.close();
    await bare.stop();
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  }
}
