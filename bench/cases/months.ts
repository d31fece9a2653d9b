import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { computeSpend, STORED_SPEND } from '../../warehouse/spend/compute-spend.ts';
import { monthFacts } from '../../warehouse/months/month-facts.ts';
import { compared, describe, secondsOf, type Measurement } from '../measurement.ts';
import {
  addMetrics,
  BARE_SCAN,
  fillOrganisation,
  makeStale,
  NOW,
  openBench,
  ORG,
} from '../data/months-organisation.ts';
import { naiveCost } from '../bare/months-naive.ts';
import type { RunOptions } from '../run-options.ts';
import { say } from '../say.ts';

/** Ours may take at most a fiftieth of the naive loop's time. */
const MOST_OF_NAIVE = 1 / 50;
const MONTHS = 12;
/** Statements of the naive loop that run. Its whole time is estimated from theirs. */
const NAIVE_SAMPLES = 36;
const SHOWN = { newest: '2025-12', count: MONTHS };

/** Compares the months of all metrics, computed from a year of spend and read, with the naive loop and a bare scan. */
async function measure(
  { rows, metrics, repetitions }: { rows: number; metrics: number; repetitions: number },
  directory: string,
): Promise<Measurement[]> {
  const name = `${rows / 1_000_000} M rows, ${metrics} metrics`;
  const warehouse = await openBench(directory, `${rows}-${metrics}.duckdb`);
  try {
    say(`months: writing ${name}`);
    await fillOrganisation(warehouse, rows);
    const ids = await addMetrics(warehouse, metrics);
    const facts = () => warehouse.session((session) => monthFacts(STORED_SPEND.on(session), ORG, ids, SHOWN));
    const [all, one, read, scan]: number[][] = [[], [], [], []];
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      scan?.push(await secondsOf(() => warehouse.query(BARE_SCAN)));
      if (repetition > 0) await makeStale(warehouse, 'all');
      all?.push(await secondsOf(async () => (await computeSpend(warehouse, ORG, NOW), await facts())));
      await makeStale(warehouse, 'one');
      one?.push(await secondsOf(() => computeSpend(warehouse, ORG, NOW)));
      read?.push(await secondsOf(facts));
    }
    say(`months: the naive loop, ${NAIVE_SAMPLES} of ${metrics * MONTHS} statements`);
    const costs = await facts();
    const naive: number[] = [];
    for (let sample = 0; sample < NAIVE_SAMPLES; sample += 1) {
      const id = ids[Math.floor((sample * ids.length) / NAIVE_SAMPLES)] ?? '';
      const month = costs.get(id)?.[1 + (sample % MONTHS)];
      const start = performance.now();
      const cost = await naiveCost(warehouse, id, month?.month ?? '');
      naive.push((performance.now() - start) / 1000);
      if (Math.abs(Number(cost) - Number(month?.cost)) > 1e-6)
        throw new Error(
          `months: ${id} costs ${String(month?.cost)} in ${String(month?.month)}, but ${cost} by the naive loop`,
        );
    }
    const loop = (naive.reduce((sum, taken) => sum + taken, 0) / naive.length) * metrics * MONTHS;
    const named = { benchmark: 'months', unit: 's', target: null } as const;
    const measurements = [
      compared(
        { ...named, name: `${name}: computed and read, by the naive loop`, target: MOST_OF_NAIVE },
        { ours: all ?? [], limit: [loop] },
      ),
      compared(
        { ...named, name: `${name}: computed and read, by a bare scan` },
        { ours: all ?? [], limit: scan ?? [] },
      ),
      compared(
        { ...named, name: `${name}: one month restated, by a bare scan` },
        { ours: one ?? [], limit: scan ?? [] },
      ),
      compared(
        { ...named, name: `${name}: only read, by a bare scan` },
        { ours: read ?? [], limit: scan ?? [] },
      ),
    ];
    for (const measurement of measurements) say(`months: ${describe(measurement)}`);
    return measurements;
  } finally {
    warehouse.close();
  }
}

/** `months`: measures how the time for months grows with the spend and the number of metrics. */
export async function months({ quick, repetitions }: RunOptions): Promise<Measurement[]> {
  const directory = await mkdtemp(join(tmpdir(), 'cost-analytics-months-'));
  const few = Math.min(repetitions, 3);
  const sizes = quick
    ? [{ rows: 100_000, metrics: 50 }]
    : [
        { rows: 1_000_000, metrics: 1_000 },
        { rows: 10_000_000, metrics: 100 },
        { rows: 10_000_000, metrics: 1_000 },
      ];
  try {
    const measurements: Measurement[] = [];
    for (const size of sizes) measurements.push(...(await measure({ ...size, repetitions: few }, directory)));
    return measurements;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
