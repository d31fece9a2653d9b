import { describe, expect, it } from 'vitest';
import { newCostSource } from '../../api/sources/cost-source-fields.ts';
import { ingestedBill } from '../support/exports/bills/ingested-bill.ts';
import { openDuckDb } from '../support/warehouse/engines.ts';
import { money } from '../support/warehouse/tenant.ts';
import { withOpened } from '../support/with-opened.ts';
import { readPages } from './page.ts';

/** A recipe of docs/other-bills.md: the sample, the body of the source, and what a run of it costs. */
interface Recipe {
  vendor: string;
  sample: string;
  body: string;
  rows: number;
  total: string;
}

const page = (await readPages()).find(({ path }) => path === 'docs/other-bills.md')?.text ?? '';
const recipes = page
  .split('\n## ')
  .slice(1)
  .map((section): Recipe => {
    const [, sample = ''] = /<<'END'\n([^]*?)END\n/.exec(section) ?? [];
    const [, body = ''] = /POST \/cost-sources '([^]*?)'\n/.exec(section) ?? [];
    const [, rows = '', total = ''] =
      /completed: (\d+) rows read, 0 rejected, (\S+) in 2026-01/.exec(section) ?? [];
    return { vendor: section.split('\n')[0] ?? '', sample, body, rows: Number(rows), total };
  });

describe('the recipes', () => {
  const test = withOpened(openDuckDb);

  it('are at least six', () => {
    expect(recipes.map(({ vendor }) => vendor).length).toBeGreaterThanOrEqual(6);
  });

  for (const { vendor, sample, body, rows, total } of recipes)
    it(`read the sample of ${vendor}: ${total}`, async () => {
      const { kind, options } = newCostSource.parse(JSON.parse(body));
      const { run } = await ingestedBill(test, kind, { 'sample.csv': sample }, { options });
      expect(run).toMatchObject({
        status: 'completed',
        rows_read: rows,
        rows_rejected: 0,
        cost_total: money(total),
        notes: [],
      });
    });
});
