import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addDays, addMonths, firstDay, type Day } from '../../domain/shared/calendar.ts';
import { ORGANISATIONS, SEED } from '../support/effort.ts';
import { dayLine, focusCsv, type FocusLine } from '../support/exports/focus-export.ts';
import { COUNTED_TEST_MS } from '../support/patience.ts';
import { describeOnBothEngines, openDuckLake, type TestWarehouse } from '../support/warehouse/engines.ts';
import { TwinSources } from '../support/warehouse/twin-sources.ts';

/** Sequences of changes of a folder, for each organisation that `model/every-month` tries. */
const SEQUENCES = 2;
const FILES = ['a.csv', 'b.csv', 'c.csv', 'more/d.csv'] as const;
const FIRST_MONTH = '2025-11';
const FIRST_DAY = '2026-01-20';

/** A line of a file: in a month, on a day of it, of one of two accounts. */
const line = fc.record({
  month: fc.nat(3),
  day: fc.nat(27),
  cost: fc.integer({ min: -2, max: 9 }),
  account: fc.constantFrom('1111', '2222'),
  of: fc.constantFrom('usage', 'usage', 'usage', 'purchase', 'unbilled', 'tagged', 'month'),
});

function lineOf({ month, day, cost, account, of }: Line): FocusLine {
  const start = firstDay(addMonths(FIRST_MONTH, month));
  const plain = dayLine(addDays(start, day), String(cost), { SubAccountId: account });
  if (of === 'purchase') return { ...plain, ChargeCategory: 'Purchase' };
  if (of === 'unbilled') return { ...plain, EffectiveCost: '0', BilledCost: '3' };
  if (of === 'tagged') return { ...plain, Tags: '{"team":"a"}' };
  return of === 'month'
    ? {
        ...plain,
        ChargePeriodStart: `${start}T00:00:00Z`,
        ChargePeriodEnd: `${addDays(start, 31)}T00:00:00Z`,
      }
    : plain;
}
type Line = typeof line extends fc.Arbitrary<infer Value> ? Value : never;

/** Lines of one or two months, so that files share periods now and then. */
const content = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 40 }), fc.nat(3), fc.boolean())
  .map(([lines, month, isMixed]) => lines.map((one) => (isMixed ? one : { ...one, month })));

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('write'), file: fc.nat(3), content }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('copy'), file: fc.nat(3), other: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('remove'), file: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('wait'), days: fc.integer({ min: 1, max: 20 }) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('option') }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('choose'), day: fc.nat(100) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('break'), file: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('month'), month: fc.nat(3) }) },
) as fc.Arbitrary<Step>;

type Step =
  | { does: 'write'; file: number; content: Line[] }
  | { does: 'copy'; file: number; other: number }
  | { does: 'remove' | 'break'; file: number }
  | { does: 'wait'; days: number }
  | { does: 'option' }
  | { does: 'choose'; day: number }
  | { does: 'month'; month: number };

const story = fc.array(step, { minLength: 4, maxLength: 9 });

describeOnBothEngines('a source that reads what has changed', (open) => {
  /** Takes the steps, and ingests after each. Each ingest compares with a source that reads everything (twin-sources.ts). */
  const tell = async (test: TestWarehouse, steps: readonly Step[]): Promise<void> => {
    const twins = await TwinSources.create(test);
    const texts = new Map<number, string>();
    let today: Day = FIRST_DAY;
    let isBilled = false;
    const write = async (file: number, text: string): Promise<void> => {
      texts.set(file, text);
      await twins.write({ [FILES[file] ?? '']: text });
    };
    await write(0, focusCsv([dayLine('2025-11-01', '1')]));
    for (const one of steps) {
      let months = {};
      switch (one.does) {
        case 'write':
          await write(one.file, focusCsv(one.content.map(lineOf)));
          break;
        case 'copy':
          await write(one.file, texts.get(one.other) ?? texts.get(0) ?? '');
          break;
        case 'break':
          await write(one.file, `${texts.get(one.file) ?? texts.get(0) ?? ''}${'x,'.repeat(15)}x\n`);
          break;
        case 'remove':
          // A source without a file fails.
          if (texts.size > 1 && texts.delete(one.file)) await twins.remove(FILES[one.file] ?? '');
          break;
        case 'wait':
          today = addDays(today, one.days);
          break;
        case 'option':
          isBilled = !isBilled;
          await twins.change({ options: { cost_column: isBilled ? 'BilledCost' : 'EffectiveCost' } });
          break;
        case 'choose':
          await twins.choose({
            kind: 'tag',
            cloud: 'aws',
            choice: 'team',
            firstDay: addDays(firstDay(FIRST_MONTH), one.day),
          });
          break;
        case 'month': {
          const month = addMonths(FIRST_MONTH, one.month);
          months = { startMonth: month, endMonth: month };
        }
      }
      await twins.ingest({ now: new Date(`${today}T06:00:00Z`), ...months });
    }
    const now = new Date(`${today}T06:00:00Z`);
    const last = await twins.ingest({ now });
    if (!('error' in last)) expect(await twins.ingest({ now })).toMatchObject({ filesRead: 0, months: [] });
  };

  it('has after random changes what a reading of everything has', { timeout: COUNTED_TEST_MS }, async () => {
    const runs = SEQUENCES * ORGANISATIONS[open === openDuckLake ? 'DuckLake' : 'DuckDB'];
    process.stdout.write(`random changes of a folder: SEED=${SEED}\n`);
    const test = await open();
    await fc.assert(
      fc.asyncProperty(story, (steps) => tell(test, steps)),
      {
        seed: SEED,
        numRuns: runs,
        interruptAfterTimeLimit: COUNTED_TEST_MS / 2,
        markInterruptAsFailure: true,
      },
    );
    await test.close();
  });
});
