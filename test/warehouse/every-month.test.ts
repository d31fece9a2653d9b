import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnBothEngines, type TestWarehouse } from '../support/engines.ts';
import { differences } from './differences.ts';
import { naiveAnswers } from './naive-answers.ts';
import { NaiveOrganisation } from './naive-organisation.ts';
import type { Organisation } from './organisation-story.ts';
import { randomOrganisation } from './random-organisation.ts';
import { answered, breakdownsOf } from './told-answers.ts';
import { ToldOrganisation } from './told-organisation.ts';

/** Organisations on each engine; of DuckLake each takes about ten times as long. */
const RUNS = { DuckDB: 60, DuckLake: 4 };
/** Organisations at a time. A failure names the seed of its own lane; as SEED it comes first. */
const LANES = 2;

describeOnBothEngines('every month and every breakdown', (open) => {
  let test: TestWarehouse;
  beforeAll(async () => {
    test = await open();
    // The statements are many and small: more threads for each would only wait for one another.
    await test.warehouse.run('SET GLOBAL threads = 1');
  });
  afterAll(() => test.close());

  const isAsTheNaiveOne = async (organisation: Organisation): Promise<void> => {
    const told = await ToldOrganisation.create(test, organisation);
    const naive = new NaiveOrganisation(organisation);
    for (const [index, step] of organisation.story.entries())
      expect(await told.does(step), `step ${index}, ${step.does}`).toEqual(naive.does(step));
    const answers = await answered(test.warehouse, told, organisation);
    expect(differences(answers, naiveAnswers(naive, organisation, breakdownsOf(organisation)))).toBe('');
  };

  it(
    'of random organisations are what a row-by-row calculation makes of them',
    { timeout: 1_800_000 },
    async () => {
      const seed = process.env['SEED'] === undefined ? Date.now() % 2 ** 30 : Number(process.env['SEED']);
      const engine = test.warehouse.isDuckLake ? 'DuckLake' : 'DuckDB';
      const numRuns = Math.ceil(Number(process.env['RUNS'] ?? RUNS[engine]) / LANES);
      process.stdout.write(`random organisations on ${engine}: SEED=${seed}\n`);
      const property = fc.asyncProperty(randomOrganisation, isAsTheNaiveOne);
      const lanes = Array.from({ length: LANES }, (_, lane) => seed + lane * 2 ** 30);
      await Promise.all(lanes.map((laneSeed) => fc.assert(property, { seed: laneSeed, numRuns })));
    },
  );
});
