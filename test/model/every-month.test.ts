import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ORGANISATIONS, SEED } from '../support/effort.ts';
import { describeOnBothEngines, openDuckLake, type TestWarehouse } from '../support/warehouse/engines.ts';
import { differences } from './differences.ts';
import { naiveAnswers } from './expected/answers/naive-answers.ts';
import { NaiveOrganisation } from './expected/naive-organisation.ts';
import type { Organisation } from './organisation-story.ts';
import { randomOrganisation } from './random/random-organisation.ts';
import { answered, breakdownsOf } from './actual/told-answers.ts';
import { ToldOrganisation } from './actual/told-organisation.ts';
import { COUNTED_TEST_MS } from '../support/patience.ts';

/** The number of organisations at a time. A failure prints the seed of its lane. With it as SEED, that lane runs first. */
const LANES = 2;
/** A failure is reported after this time, even if it could be made smaller. */
const LONGEST_MS = COUNTED_TEST_MS / 2;
/** The number of organisations in one warehouse. Statements read all of them, so more organisations make each one slower. */
const IN_A_WAREHOUSE = 20;

describeOnBothEngines('every month and every breakdown', (open) => {
  const compareWithNaive = async (test: TestWarehouse, organisation: Organisation): Promise<void> => {
    const product = await ToldOrganisation.create(test, organisation);
    const naive = new NaiveOrganisation(organisation);
    for (const [index, step] of organisation.story.entries())
      expect(await product.does(step, organisation.story[index + 1]), `step ${index}, ${step.does}`).toEqual(
        naive.does(step),
      );
    const { promisedLocks, ...answers } = await answered(test.warehouse, product, organisation);
    expect(differences(answers, naiveAnswers(naive, organisation, breakdownsOf(organisation)))).toBe('');
    expect(await product.locksEveryMonth(organisation.today, promisedLocks)).toEqual(promisedLocks);
  };

  /** Compares organisations in a new warehouse. If one fails, the warehouse stays open to shrink it. */
  const compareOrganisations = async (seed: number, runs: number): Promise<void> => {
    const test = await open();
    const property = fc.asyncProperty(randomOrganisation, (organisation) =>
      compareWithNaive(test, organisation),
    );
    const lanes = Array.from({ length: Math.min(LANES, runs) }, (_, lane) => seed + lane * 2 ** 30);
    const numRuns = Math.ceil(runs / lanes.length);
    const limits = { interruptAfterTimeLimit: LONGEST_MS, markInterruptAsFailure: true };
    await Promise.all(lanes.map((laneSeed) => fc.assert(property, { seed: laneSeed, numRuns, ...limits })));
    await test.close();
  };

  it('of random organisations equal a row-by-row calculation', { timeout: COUNTED_TEST_MS }, async () => {
    const engine = open === openDuckLake ? 'DuckLake' : 'DuckDB';
    const runs = ORGANISATIONS[engine];
    process.stdout.write(`random organisations on ${engine}: SEED=${SEED}\n`);
    for (let done = 0; done < runs; done += IN_A_WAREHOUSE) {
      await compareOrganisations(SEED + done, Math.min(runs - done, IN_A_WAREHOUSE));
    }
  });
});
