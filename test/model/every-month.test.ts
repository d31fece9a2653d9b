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

/** Organisations at a time. A failure names the seed of its own lane; as SEED it comes first. */
const LANES = 2;
/** Organisations that share a warehouse: its statements look at all of them, so that more would make each slower. */
const IN_A_WAREHOUSE = 20;

describeOnBothEngines('every month and every breakdown', (open) => {
  const isAsTheNaiveOne = async (test: TestWarehouse, organisation: Organisation): Promise<void> => {
    const told = await ToldOrganisation.create(test, organisation);
    const naive = new NaiveOrganisation(organisation);
    for (const [index, step] of organisation.story.entries())
      expect(await told.does(step), `step ${index}, ${step.does}`).toEqual(naive.does(step));
    const answers = await answered(test.warehouse, told, organisation);
    expect(differences(answers, naiveAnswers(naive, organisation, breakdownsOf(organisation)))).toBe('');
  };

  /** Some organisations in a warehouse of their own, which is kept open to shrink one that fails. */
  const areAsTheNaiveOnes = async (seed: number, runs: number): Promise<void> => {
    const test = await open();
    // The statements are many and small: more threads for each would only wait for one another.
    await test.warehouse.run('SET GLOBAL threads = 1');
    const property = fc.asyncProperty(randomOrganisation, (organisation) =>
      isAsTheNaiveOne(test, organisation),
    );
    const lanes = Array.from({ length: LANES }, (_, lane) => seed + lane * 2 ** 30);
    const numRuns = Math.ceil(runs / LANES);
    await Promise.all(lanes.map((laneSeed) => fc.assert(property, { seed: laneSeed, numRuns })));
    await test.close();
  };

  it(
    'of random organisations are what a row-by-row calculation makes of them',
    { timeout: 3_600_000 },
    async () => {
      const engine = open === openDuckLake ? 'DuckLake' : 'DuckDB';
      const runs = ORGANISATIONS[engine];
      process.stdout.write(`random organisations on ${engine}: SEED=${SEED}\n`);
      for (let done = 0; done < runs; done += IN_A_WAREHOUSE) {
        await areAsTheNaiveOnes(SEED + done, Math.min(runs - done, IN_A_WAREHOUSE));
      }
    },
  );
});
