import { describe, expect, it } from 'vitest';
import { newCostSource } from '../../../../api/sources/cost-source-fields.ts';
import { ingestedBill } from '../../../support/exports/bills/ingested-bill.ts';
import { openDuckDb } from '../../../support/warehouse/engines.ts';
import { money } from '../../../support/warehouse/tenant.ts';
import { withOpened } from '../../../support/with-opened.ts';

const NAMED = { provider: 'Vendor', account: 'main' };

describe('a bill of another vendor', () => {
  const test = withOpened(openDuckDb);

  const ingested = (rows: string, options: object, choices: Parameters<typeof ingestedBill>[3] = {}) =>
    ingestedBill(
      test,
      'custom',
      { 'bill.csv': rows },
      { options: { defaults: NAMED, ...options }, ...choices },
    );
  const days = async (rows: string, options: object) =>
    (await ingested(rows, options)).stored.spend.map(({ day, cost }) => [day, cost]);

  it('has days, instants, months and spans', async () => {
    const columns = { cost: 'c', day: 'd', last_day: 'l' };
    expect(
      await days(
        'd,l,c\n2026-01-10,,1\n2026-01-11T23:30:00-01:00,,2\n13.01.2026,,4\n2026-01-14,2026-01-15,16\n',
        {
          columns,
        },
      ),
    ).toEqual([
      ['2026-01-10', money('1')],
      ['2026-01-12', money('2')],
      ['2026-01-13', money('4')],
      ['2026-01-14', money('8')],
      ['2026-01-15', money('8')],
    ]);
    const february = await days('d,l,c\n2026-02,,28\n', { columns });
    expect(february).toHaveLength(28);
    expect(february.at(-1)).toEqual(['2026-02-28', money('1')]);
  });

  it('has days with slashes in the order that its options say, and in no other', async () => {
    const read = (day_format?: string) =>
      days('d,c\n02/01/2026,1\n', { columns: { cost: 'c', day: 'd' }, ...(day_format && { day_format }) });
    expect(await read('MM/DD/YYYY')).toEqual([['2026-02-01', money('1')]]);
    expect(await read('DD/MM/YYYY')).toEqual([['2026-01-02', money('1')]]);
    await expect(read()).rejects.toThrow(/d: expected a UTC time, got "02\/01\/2026"/);
  });

  it('takes what its rows leave out from the defaults, and its months from its own billing periods', async () => {
    const { stored } = await ingested(
      'when,what,who,acct,money,cur,period,labels\n' +
        '2026-01-31,VMs,AWS,1111,1.5,USD,2026-02,"{""team"":""search""}"\n2026-01-31,Support,,,2,,2026-01,\n',
      {
        columns: {
          ...{
            cost: 'MONEY',
            day: 'when',
            service: 'what',
            provider: 'who',
            account: 'acct',
            currency: 'cur',
          },
          ...{ billing_period: 'period', tags: 'labels' },
        },
        defaults: { ...NAMED, currency: 'USD' },
      },
      { choices: [{ kind: 'tag', cloud: 'aws', choice: 'team', firstDay: '2025-01-01' }] },
    );
    expect(
      stored.spend.map(({ billing_period, cloud, account, tag_value, cost }) => [
        ...[billing_period, cloud, account, tag_value, cost],
      ]),
    ).toEqual([
      ['2026-01-01', 'vendor', 'main', null, money('2')],
      ['2026-02-01', 'aws', '1111', 'search', money('1.5')],
    ]);
  });

  it('is refused with the columns that it has if the options name another one', async () => {
    const options = { columns: { cost: 'Costs', day: 'Date' } };
    await expect(ingested('Date,Cost\n2026-01-10,1\n', options)).rejects.toThrow(
      /^options\.columns\.cost: expected a column of \S+bill\.csv, got "Costs"; its columns are "Date", "Cost"; nothing was loaded$/,
    );
    await expect(ingested('Date;Costs;Account\n2026-01-10;1;a\n', options)).rejects.toThrow(
      /expected commas between the columns, got semicolons/,
    );
    // A column with a similar name is another one.
    await expect(ingested('Date,Costs (net)\n2026-01-10,1\n', options)).rejects.toThrow(/"Costs \(net\)"/);
  });

  it('is refused in another currency, by the name of its column', async () => {
    await expect(
      ingested('Date,Cost,Währung\n2026-01-10,1,EUR\n', {
        columns: { cost: 'Cost', day: 'Date', currency: 'Währung' },
      }),
    ).rejects.toThrow(/^Währung: expected USD, the organisation's currency, got EUR in 1 rows/);
  });

  it('has options that say who sends it', () => {
    const issues = (options: object) =>
      newCostSource
        .safeParse({ name: 'Bill', kind: 'custom', location: 'bill.csv', options })
        .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    const columns = { cost: 'Cost', day: 'Date' };
    expect(issues({ columns })).toEqual([
      'options.defaults.provider: expected columns.provider or defaults.provider, so that each row has a provider',
      'options.defaults.account: expected columns.account or defaults.account, so that each row has an account',
    ]);
    expect(issues({ columns: { cost: 'Cost' }, defaults: NAMED })).toEqual([
      'options.columns.day: expected the name of a column of the files',
    ]);
    expect(issues({ columns: { ...columns, last_day: 'a', end: 'b' }, defaults: NAMED })).toEqual([
      'options.columns.end: expected last_day or end, got both',
    ]);
    expect(issues({ columns: { ...columns, costs: 'x' }, defaults: NAMED })).toHaveLength(1);
    expect(issues({ columns, defaults: { ...NAMED, currency: 'usd' } })).toEqual([
      'options.defaults.currency: expected a currency such as "USD"',
    ]);
    expect(issues({ columns, defaults: NAMED })).toBeUndefined();
  });
});
