import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BareResult, BareStatement } from '../bare/bare-duckdb.ts';
import { startBareProcess } from '../bare/bare-process.ts';
import { as, ingestSource, newOrganisation, newSource, type Run } from '../client/client.ts';
import { CACHE_DIR, focusExport, type Format } from '../data/focus-export.ts';
import { alone, compared, type Measurement } from '../measurement.ts';
import type { RunOptions } from '../run-options.ts';
import { say } from '../say.ts';
import { startService } from '../client/service.ts';

/** DuckDB's memory limit on each side, which is the product's default. */
const MEMORY_LIMIT = '1GB';
/** The most of ours in relation to a GROUP BY of the same grain. */
const MOST_RATIO = { parquet: 5, 'csv.gz': 1.4 } as const satisfies Record<Format, number>;
const MOST_MEMORY_MIB = 1536;
const MIB = 2 ** 20;
/** The service's clock. Both billing months have ended and settled. */
const CLOCK = '2026-03-20T12:00:00Z';

const readOf = (path: string, format: Format): string =>
  format === 'parquet' ? `read_parquet('${path}')` : `read_csv('${path}')`;

/** The least work with the file: one number for each day and account, without changing types. */
const plainGroupBy = (path: string, format: Format): string => `
CREATE OR REPLACE TEMP TABLE plain AS
SELECT CAST(ChargePeriodStart AS DATE) AS day, SubAccountId, sum(EffectiveCost) AS cost
FROM ${readOf(path, format)} GROUP BY ALL`;

/** The least work that keeps the same grain as the product. */
const sameGrainGroupBy = (path: string, format: Format): string => `
CREATE OR REPLACE TEMP TABLE same_grain AS
SELECT CAST(ChargePeriodStart AS DATE) AS day, BillingPeriodStart, ProviderName, SubAccountId, ResourceId, sum(EffectiveCost) AS cost
FROM ${readOf(path, format)} GROUP BY ALL`;

/** Compares the whole ingest, from the request until its run is completed, with one GROUP BY over the same file. */
export async function ingest(options: RunOptions): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const format of ['parquet', 'csv.gz'] as const) {
    measurements.push(...(await measure(format, options.rows, options.repetitions)));
    if (format === 'parquet' || options.full)
      measurements.push(...(await measure(format, options.rows * 4, 1)));
  }
  return measurements;
}

async function measure(format: Format, rows: number, repetitions: number): Promise<Measurement[]> {
  const path = await focusExport(rows, format);
  const directory = await mkdtemp(join(tmpdir(), 'cost-analytics-bench-'));
  const starting = await startService(directory, {
    SOURCE_ROOTS: CACHE_DIR,
    CLOCK,
    DUCKDB_MEMORY_LIMIT: MEMORY_LIMIT,
  });
  const service = await starting.ready;
  const bare = startBareProcess<BareStatement, BareResult>('bare-duckdb', [
    MEMORY_LIMIT,
    join(directory, 'bare-spill'),
  ]);
  try {
    const admin = as(service, await newOrganisation(service));
    const sourceId = await newSource(admin, path);
    const samples = { ours: [] as number[], plain: [] as number[], sameGrain: [] as number[] };
    let barePeak = 0;
    for (let repetition = 1; repetition <= repetitions; repetition += 1) {
      const plain = await bare.ask({ sql: plainGroupBy(path, format) });
      const { run, seconds } = await ingestSource(admin, sourceId);
      const sameGrain = await bare.ask({ sql: sameGrainGroupBy(path, format) });
      await checkTotal(run, rows, bare.ask);
      samples.plain.push(plain.seconds);
      samples.ours.push(seconds);
      samples.sameGrain.push(sameGrain.seconds);
      barePeak = Math.max(barePeak, sameGrain.peakMemory);
      say(
        `ingest ${format} ${rows}: ours ${seconds.toFixed(2)} s, plain GROUP BY ${plain.seconds.toFixed(2)} s, same grain ${sameGrain.seconds.toFixed(2)} s`,
      );
    }
    const peak = await service.peakMemory();
    const name = `${format}, ${rows / 1e6} M rows`;
    return [
      compared(
        {
          benchmark: 'ingest',
          name: `${name}: against GROUP BY day, account`,
          unit: 's',
          target: null,
        },
        { ours: samples.ours, limit: samples.plain },
      ),
      compared(
        {
          benchmark: 'ingest',
          name: `${name}: against GROUP BY of our grain`,
          unit: 's',
          target: MOST_RATIO[format],
        },
        { ours: samples.ours, limit: samples.sameGrain },
      ),
      {
        ...alone(
          {
            benchmark: 'ingest',
            name: `${name}: peak memory of the service`,
            unit: 'MiB',
            target: MOST_MEMORY_MIB,
          },
          peak.service / MIB,
        ),
        limit: barePeak / MIB,
      },
      alone(
        { benchmark: 'ingest', name: `${name}: peak memory of Temporal`, unit: 'MiB', target: null },
        peak.temporal / MIB,
      ),
    ];
  } finally {
    await bare.stop();
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Throws unless the run has the rows and the total of the bare sum. */
async function checkTotal(
  run: Run,
  rows: number,
  ask: (statement: BareStatement) => Promise<BareResult>,
): Promise<void> {
  const { rows: sums } = await ask({ sql: 'SELECT CAST(sum(cost) AS DOUBLE) AS total FROM same_grain' });
  const total = Number(sums[0]?.['total']);
  const ours = run.cost_total ?? 0;
  if (run.rows_read !== rows || Math.abs(ours - total) > 1e-6 * Math.abs(total))
    throw new Error(`the ingest read ${run.rows_read} rows and ${ours}, expected ${rows} rows and ${total}`);
}
