import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fullyLoaded } from '../../domain/teams/bill.ts';
import { decimalUnits, MONEY_DECIMALS } from '../../domain/shared/decimals.ts';
import { sealBills } from '../../warehouse/teams/bills/bill-sealing.ts';
import { monthBills } from '../../warehouse/teams/bills/bills.ts';
import { computeSpend, STORED_SPEND } from '../../warehouse/spend/compute-spend.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import { addTeams, unseal } from '../data/bills-organisation.ts';
import { compared, describe, secondsOf, type Measurement } from '../measurement.ts';
import { BARE_SCAN, fillOrganisation, makeStale, NOW, openBench, ORG } from '../data/months-organisation.ts';
import type { RunOptions } from '../run-options.ts';
import { say } from '../say.ts';

const SHOWN = { newest: '2025-12', count: 12 };

/** `bills`: a year of bills of many teams with many shared costs, beside one bare scan of the same spend. */
export async function bills({ quick, repetitions }: RunOptions): Promise<Measurement[]> {
  const size = quick
    ? { rows: 100_000, teams: 5, sharedCosts: 10 }
    : { rows: 10_000_000, teams: 50, sharedCosts: 100 };
  const name = `${size.rows / 1_000_000} M rows, ${size.teams} teams, ${size.sharedCosts} shared costs`;
  const directory = await mkdtemp(join(tmpdir(), 'cost-analytics-bills-'));
  const warehouse = await openBench(directory);
  try {
    say(`bills: writing ${name}`);
    await fillOrganisation(warehouse, size.rows);
    await addTeams(warehouse, size);
    const read = () => warehouse.session((session) => monthBills(STORED_SPEND.on(session), ORG, SHOWN));
    const [all, one, sealed, again, reads, scan]: number[][] = [[], [], [], [], [], []];
    for (let repetition = 0; repetition < Math.min(repetitions, 3); repetition += 1) {
      scan?.push(await secondsOf(() => warehouse.query(BARE_SCAN)));
      if (repetition > 0) await makeStale(warehouse, 'all');
      await unseal(warehouse);
      const computing = await secondsOf(() => computeSpend(warehouse, ORG, NOW));
      const sealing = await secondsOf(() => sealBills(warehouse, ORG, NOW));
      all?.push(computing + sealing + (await secondsOf(read)));
      sealed?.push(sealing);
      reads?.push(await secondsOf(read));
      again?.push(await secondsOf(() => sealBills(warehouse, ORG, NOW)));
      await makeStale(warehouse, 'one');
      one?.push(await secondsOf(async () => (await sealBills(warehouse, ORG, NOW), await read())));
    }
    await checkSums(warehouse);
    const measurements = (
      [
        ['spend computed, bills sealed and read', all],
        ['bills of twelve months sealed', sealed],
        ['nothing is due', again],
        ['one month restated after its seal, bills read', one],
        ['only read', reads],
      ] as const
    ).map(([what, ours]) =>
      compared(
        { benchmark: 'bills', name: `${name}: ${what}, by a bare scan`, unit: 's', target: null },
        { ours: ours ?? [], limit: scan ?? [] },
      ),
    );
    for (const measurement of measurements) say(`bills: ${describe(measurement)}`);
    return measurements;
  } finally {
    warehouse.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Throws unless every team is billed, and all bills and the unallocated amount add up to the total of each month. */
async function checkSums(warehouse: Warehouse): Promise<void> {
  const units = (amount: string): bigint => decimalUnits(amount, MONEY_DECIMALS);
  const totals = await warehouse.query<{ month: string; total: string }>(
    `SELECT strftime(month, '%Y-%m') AS month, sum(cost) AS total
     FROM daily_totals JOIN current_computations USING (org_id, month, computation_id) WHERE org_id = $org GROUP BY month`,
    { org: ORG },
  );
  const months = await warehouse.session((session) => monthBills(STORED_SPEND.on(session), ORG, SHOWN));
  for (const { month, total } of totals) {
    const found = months.find((one) => one.month === month);
    const billed = [...(found?.bills?.values() ?? [])].map((bill) => units(fullyLoaded(bill)));
    const sum = billed.reduce((one, other) => one + other, units(found?.unallocated ?? '0'));
    if (found?.status !== 'sealed' || billed.some((amount) => amount <= 0n) || sum !== units(total))
      throw new Error(`bills: those of ${month} do not add up to its total`);
  }
}
