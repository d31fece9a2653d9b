import fc from 'fast-check';
import { expect, it } from 'vitest';
import { normalRepository } from '../../../domain/sources/repository.ts';
import {
  stageAiTools,
  missingAiSpendColumns,
  missingAiUsageColumns,
} from '../../../warehouse/sources/ai-tools-load.ts';
import { describeFile } from '../../support/warehouse/describe-file.ts';
import type { LoadScope } from '../../../warehouse/sources/publishing/load.ts';
import { normalRepositorySql } from '../../../warehouse/sources/repository-sql.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import {
  currentLoads,
  currentRows,
  loading,
  newTenant,
  scopeOf,
  type Tenant,
} from '../../support/warehouse/feeds.ts';
import { SPELLINGS } from '../../support/exports/repository-spellings.ts';
import { money, published, writeFiles } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

/** Spend on AI coding tools and its usage by repository. */
describeOnBothEngines('AI tool spend', (open, onDuckDb) => {
  const test = withOpened(open);

  const load = async (
    tenant: Tenant,
    texts: { spend: string; usage: string },
    changes: Partial<LoadScope> = {},
  ) => {
    const [spend = '', usage = ''] = await writeFiles(test, {
      'spend.csv': texts.spend,
      'usage.csv': texts.usage,
    });
    return loading(test, async (sessions) =>
      published(sessions, scopeOf(tenant, changes), async (load) =>
        stageAiTools(sessions, load, {
          spend: [await describeFile(sessions.reader, spend)],
          usage: [await describeFile(sessions.reader, usage)],
        }),
      ),
    );
  };
  const spendRows = ({ orgId }: Tenant) => currentRows(test, orgId, 'ai_tool_spend', 'day, tool, kind, cost');
  const usageRows = ({ orgId }: Tenant) =>
    currentRows(test, orgId, 'ai_usage', 'day, tool, repository, usage');

  const SPEND = [
    'day,tool,cost,kind',
    '2026-01-30,Copilot,10.25,usage',
    '2026-01-30,Copilot,19,Seat',
    '2026-01-31,Copilot,-0.5,',
    '2026-02-01,Cursor,3,usage',
    '',
  ].join('\n');
  const USAGE = [
    'repository,usage,tool,day',
    'https://github.com/Acme/Web.git,100,Copilot,2026-01-30',
    'github.com/acme/web,0.1234567,Copilot,2026-01-30',
    'git@github.com:acme/api.git,300,Copilot,2026-01-30',
    ',50,Copilot,2026-01-30',
    'github.com/acme/web,0,Copilot,2026-01-31',
    'github.com/acme/web,7,Copilot,2025-12-31', // a month without spend
    '',
  ].join('\n');

  it('is stored with its usage by repository, in any spelling of the repositories', async () => {
    const tenant = await newTenant(test);
    const result = await load(tenant, { spend: SPEND, usage: USAGE });
    expect(await spendRows(tenant)).toEqual([
      { day: '2026-01-30', tool: 'Copilot', kind: 'seat', cost: money('19') },
      { day: '2026-01-30', tool: 'Copilot', kind: 'usage', cost: money('10.25') },
      { day: '2026-01-31', tool: 'Copilot', kind: null, cost: money('-0.5') },
      { day: '2026-02-01', tool: 'Cursor', kind: 'usage', cost: money('3') },
    ]);
    // 100 + 0.1234567, rounded to six decimals. December has no usage.
    expect(await usageRows(tenant)).toEqual([
      { day: '2026-01-30', tool: 'Copilot', repository: 'github.com/acme/api', usage: '300.000000' },
      { day: '2026-01-30', tool: 'Copilot', repository: 'github.com/acme/web', usage: '100.123457' },
      { day: '2026-01-30', tool: 'Copilot', repository: null, usage: '50.000000' },
      { day: '2026-01-31', tool: 'Copilot', repository: 'github.com/acme/web', usage: '0.000000' },
    ]);
    expect(result).toEqual({
      months: ['2026-01', '2026-02'],
      rowsRead: 10,
      rowsRejected: 0,
      rowsLeftOut: 1,
      rejectedSamples: [],
      costTotal: money('31.75'),
      notes: ['tool "Cursor" has spend but no usage in 2026-02: that spend belongs to no repository'],
    });
    expect(await currentLoads(test, tenant.orgId)).toMatchObject([
      { billing_period: '2026-01-01', cost_total: money('28.75'), rows_read: '3', last_day: '2026-01-31' },
      {
        billing_period: '2026-02-01',
        cost_total: money('3'),
        rows_read: '1',
        delivered_through: '2026-02-01',
      },
    ]);
  });

  // Thursday 1 January 2026 and Sunday 1 February 2026 are no working days.
  const seatsOf = (tool: string, ...days: [day: string, cost: string][]): string =>
    ['day,tool,cost,kind', ...days.map(([day, cost]) => `${day},${tool},${cost},seat`), ''].join('\n');
  const usageOf = (tool: string, ...days: string[]): string =>
    ['day,tool,repository,usage', ...days.map((day) => `${day},${tool},github.com/acme/web,1`), ''].join(
      '\n',
    );

  it.each([
    {
      what: 'a month on its first day',
      spend: seatsOf('Copilot', ['2026-01-01', '190'], ['2026-02-01', '209']),
      usage: usageOf('Copilot', '2026-01-05', '2026-01-30', '2026-02-02'),
      note: 'tool "Copilot" has no usage on 2026-01-01, 2026-02-01: the 399 USD of its seats on these days belong to no repository; spread seats over the days of their use',
    },
    {
      // Saturday 17 and Sunday 18 are ordinary. Monday 19, a holiday, and Tuesday 20 are not: 2 × 4.25.
      what: 'some working days',
      spend: seatsOf(
        'Cursor',
        ...['16', '17', '18', '19', '20', '21'].map((day): [string, string] => [`2026-01-${day}`, '4.25']),
      ),
      usage: usageOf('Cursor', '2026-01-16', '2026-01-21'),
      note: 'tool "Cursor" has no usage on 2026-01-19 to 2026-01-20: the 8.5 USD of its seats on these days belong to no repository; spread seats over the days of their use',
    },
    {
      what: 'a month, less a refund',
      spend: seatsOf('Claude', ['2026-01-10', '120.5'], ['2026-01-10', '-20.25'], ['2026-01-12', '0']),
      usage: usageOf('Claude', '2026-01-20'),
      note: 'tool "Claude" has no usage on 2026-01-10: the 100.25 USD of its seats on these days belong to no repository; spread seats over the days of their use',
    },
  ])(
    'is noted with its amount if seats of $what fall on days without usage',
    async ({ spend, usage, note }) => {
      const { notes } = await load(await newTenant(test), { spend, usage });
      expect(notes).toEqual([note]);
    },
  );

  it('is no news for daily seats on weekends, and on days whose usage can still come', async () => {
    const days = ['01-29', '01-30', '01-31', '02-01', '02-02', '02-07'];
    const { notes } = await load(await newTenant(test), {
      spend: seatsOf('Copilot', ...days.map((day): [string, string] => [`2026-${day}`, '7.6'])),
      usage: usageOf('Copilot', '2026-01-29', '2026-01-30', '2026-02-02'),
    });
    expect(notes).toEqual([]);
  });

  it('is the same after a second load, and takes new usage of a day', async () => {
    const tenant = await newTenant(test);
    await load(tenant, { spend: SPEND, usage: USAGE });
    const once = [await spendRows(tenant), await usageRows(tenant)];
    await load(tenant, { spend: SPEND, usage: USAGE });
    expect([await spendRows(tenant), await usageRows(tenant)]).toEqual(once);
    await load(
      tenant,
      { spend: SPEND, usage: 'day,tool,repository,usage\n2026-01-30,Copilot,github.com/acme/web,9\n' },
      { startMonth: '2026-01', endMonth: '2026-01' },
    );
    expect(await spendRows(tenant)).toEqual(once[0]);
    expect(await usageRows(tenant)).toEqual([
      { day: '2026-01-30', tool: 'Copilot', repository: 'github.com/acme/web', usage: '9.000000' },
      { day: '2026-01-31', tool: 'Copilot', repository: 'github.com/acme/web', usage: '0.000000' },
    ]);
  });

  it('keeps the days that a feed lacks, separately for each feed', async () => {
    const tenant = await newTenant(test);
    await load(tenant, { spend: SPEND, usage: USAGE });
    const once = await usageRows(tenant);
    const next = {
      spend: 'day,tool,cost,kind\n2026-01-31,Copilot,5,usage\n',
      usage: 'day,tool,repository,usage\n2026-01-29,Copilot,github.com/acme/web,1\n',
    };
    // 10.25 + 19 of the 30th stay. The usage of both days stays too, because the spend needs it.
    expect(await load(tenant, next)).toMatchObject({
      rowsRead: 2,
      costTotal: money('34.25'),
      months: ['2026-01'],
      notes: [
        'the files no longer have 2026-01-30; what was loaded before stays',
        'options.usage_location: the files no longer have 2026-01-30 to 2026-01-31; what was loaded before stays',
      ],
    });
    const added = {
      day: '2026-01-29',
      tool: 'Copilot',
      repository: 'github.com/acme/web',
      usage: '1.000000',
    };
    expect(await usageRows(tenant)).toEqual([added, ...once]);
    expect(await load(tenant, next, { acceptShrink: true })).toMatchObject({ costTotal: money('5') });
    expect(await usageRows(tenant)).toEqual([added]);
    // The files have nothing of February, so it stays in any case.
    expect(await spendRows(tenant)).toEqual([
      { day: '2026-01-31', tool: 'Copilot', kind: 'usage', cost: money('5') },
      { day: '2026-02-01', tool: 'Cursor', kind: 'usage', cost: money('3') },
    ]);
  });

  it("has the usage of a month's last day that comes with the next month", async () => {
    const tenant = await newTenant(test);
    const day = (day: string, cost: string) => `day,tool,cost\n${day},Copilot,${cost}\n`;
    const usage = (...days: string[]) =>
      ['day,tool,repository,usage', ...days.map((used) => `${used},Copilot,github.com/acme/web,1`), ''].join(
        '\n',
      );
    await load(tenant, { spend: day('2026-01-31', '10'), usage: usage('2026-01-30') });
    const next = { spend: day('2026-02-01', '4'), usage: usage('2026-01-31', '2025-12-31') };
    expect(await load(tenant, next)).toMatchObject({ months: ['2026-01', '2026-02'], rowsRead: 3 });
    expect(await spendRows(tenant)).toMatchObject([
      { day: '2026-01-31', cost: money('10') },
      { day: '2026-02-01', cost: money('4') },
    ]);
    // December was never loaded.
    expect(await usageRows(tenant)).toMatchObject([{ day: '2026-01-30' }, { day: '2026-01-31' }]);
    const january = { endMonth: '2026-01' };
    expect(await load(tenant, { ...next, usage: usage('2026-01-29', '2026-02-01') }, january)).toMatchObject({
      months: ['2026-01'],
    });
    expect(await usageRows(tenant)).toMatchObject([
      { day: '2026-01-29' },
      { day: '2026-01-30' },
      { day: '2026-01-31' },
    ]);
  });

  it('is rejected if either feed cannot be read, and nothing changes', async () => {
    const tenant = await newTenant(test);
    await load(tenant, { spend: SPEND, usage: USAGE });
    const before = [await spendRows(tenant), await usageRows(tenant)];
    await expect(
      load(tenant, { spend: SPEND, usage: `${USAGE}github.com/acme/web,-1,Copilot,2026-01-30\n` }),
    ).rejects.toThrow(
      'options.usage_location: 1 of 7 rows cannot be read, more than 1 %: nothing was loaded. ' +
        'usage: expected a number from 0 to 1e12, got "-1" (1 rows)',
    );
    await expect(
      load(tenant, { spend: `${SPEND}2026-01-01,Copilot,1,licence\n`, usage: USAGE }),
    ).rejects.toThrow(/^1 of 5 rows cannot be read.*kind: expected usage or seat, got "licence"/);
    expect([await spendRows(tenant), await usageRows(tenant)]).toEqual(before);
  });

  onDuckDb(() => {
    it('reports the columns that a file lacks', async () => {
      const [path = ''] = await writeFiles(test, { 'a.csv': 'day,tool\n' });
      const file = await test.warehouse.session((session) => describeFile(session, path));
      expect(missingAiSpendColumns(file)).toEqual(['cost']);
      expect(missingAiUsageColumns(file)).toEqual(['repository', 'usage']);
    });

    it('normalises repositories like picks do: SQL and TypeScript agree', async () => {
      const inSql = async (texts: readonly string[]): Promise<(string | null)[]> => {
        const rows = await test.warehouse.query<{ normal: string | null }>(
          `SELECT ${normalRepositorySql('text')} AS normal
         FROM (SELECT unnest($texts) AS text, unnest(range(len($texts))) AS place) ORDER BY place`,
          { texts },
        );
        return rows.map(({ normal }) => normal);
      };
      expect(await inSql(SPELLINGS.map(([spelling]) => spelling))).toEqual(
        SPELLINGS.map(([, normal]) => normal || null),
      );
      const part = fc.constantFrom(
        'git',
        '@',
        ':',
        '/',
        '//',
        '.git',
        'Acme',
        'ÖİK',
        '22',
        'https://',
        ' ',
        '$1',
        '\\',
        "'",
      );
      const texts = fc.sample(
        fc.array(part, { maxLength: 7 }).map((parts) => parts.join('')),
        2000,
      );
      expect(await inSql(texts)).toEqual(texts.map((text) => normalRepository(text) || null));
    });
  });
});
