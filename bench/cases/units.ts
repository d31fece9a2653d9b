import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monthFacts } from '../../warehouse/months/month-facts.ts';
import { sourceMonths } from '../../warehouse/sources/coverage.ts';
import { computeSpend, STORED_SPEND } from '../../warehouse/spend/compute-spend.ts';
import type { Session } from '../../warehouse/engine/session.ts';
import { openBench } from '../data/months-organisation.ts';
import { addUnitsOrganisations, NOW, WITH_UNITS, WITHOUT_UNITS } from '../data/units-organisation.ts';
import { compared, describe, secondsOf, type Measurement } from '../measurement.ts';
import type { RunOptions } from '../run-options.ts';
import { say } from '../say.ts';

/** What reads units. */
const READS: Record<string, (session: Session, orgId: string) => Promise<unknown>> = {
  'coverage of a year': (session, orgId) =>
    sourceMonths(session, orgId, { first: '2025-01', last: '2025-12' }),
  'months of a metric': (session, orgId) =>
    monthFacts(STORED_SPEND.on(session), orgId, ['met_1'], {
      newest: '2026-01',
      count: 12,
      today: '2026-01-10',
    }),
};

/** `units`: how much longer reads take if 263 units are compared, a tenth of which have holes, than without any unit. */
export async function units({ quick, repetitions }: RunOptions): Promise<Measurement[]> {
  const directory = await mkdtemp(join(tmpdir(), 'cost-analytics-units-'));
  const warehouse = await openBench(directory);
  try {
    say('units: writing two organisations');
    await addUnitsOrganisations(warehouse);
    for (const org of [WITH_UNITS, WITHOUT_UNITS]) await computeSpend(warehouse, org, NOW);
    const measurements: Measurement[] = [];
    for (const [name, read] of Object.entries(READS)) {
      const millisecondsOf = async (org: string): Promise<number> =>
        1000 * (await secondsOf(() => warehouse.session((session) => read(session, org))));
      const [ours, limit]: [number[], number[]] = [[], []];
      // The first readings warm up the statements and the compiler.
      for (let reading = quick ? 0 : -WARM_UP; reading < READINGS * repetitions; reading += 1) {
        const [withUnits, without] = [await millisecondsOf(WITH_UNITS), await millisecondsOf(WITHOUT_UNITS)];
        if (reading < 0) continue;
        ours.push(withUnits);
        limit.push(without);
      }
      measurements.push(compared({ benchmark: 'units', name, unit: 'ms', target: null }, { ours, limit }));
    }
    for (const measurement of measurements) say(`units: ${describe(measurement)}`);
    return measurements;
  } finally {
    warehouse.close();
    await rm(directory, { recursive: true, force: true });
  }
}

const WARM_UP = 10;
const READINGS = 10;
