import { expect, it } from 'vitest';
import type { Day } from '../../../domain/shared/calendar.ts';
import type { SourceDoubt } from '../../../domain/sources/doubts.ts';
import { storedDoubts } from '../../../warehouse/sources/doubts.ts';
import type { LoadScope } from '../../../warehouse/sources/publishing/load.ts';
import { dayLine, focusCsv, type FocusLine } from '../../support/exports/focus-export.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { loadAiLines, loadClusterLines, loadHostLines } from '../../support/warehouse/feed-texts.ts';
import { newTenant, type Tenant } from '../../support/warehouse/feeds.ts';
import { loadText, type LoadChanges } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

/** Returns a doubt as `2026-01: sentence (amount)`, without the source's name. */
const worded = (month: string, { sentence, amount }: SourceDoubt): string =>
  `${month}: ${sentence.replace(/^cost source "[^"]*" /, '')} (${amount === null ? 'amount not known' : Number(amount)})`;

/** 150 rows without cost, so that a few bad rows stay below 1 %. */
const MANY = 150;

describeOnBothEngines('rejected rows', (open, onDuckDb) => {
  const test = withOpened(open);

  /** Returns what is doubtful about the months up to June 2026, in order. */
  const doubts = async ({ orgId }: Tenant, asOf: Day | null = null): Promise<string[]> => {
    const range = { org: orgId, first: '2025-01-01', last: '2026-06-01' };
    const found = await test.warehouse.session((session) => storedDoubts(session, range, asOf));
    return [...found].flatMap(([of, ofMonth]) => ofMonth.map((doubt) => worded(of.slice(0, 7), doubt)));
  };

  const fill = (day: string, more: FocusLine = {}) =>
    Array.from({ length: MANY }, () => dayLine(day, '0', more));
  const loadBill = (tenant: Tenant, lines: readonly FocusLine[], changes: LoadChanges = {}) =>
    loadText(test, tenant, focusCsv(lines), changes);

  const NOT_A_NUMBER = 'EffectiveCost: expected a decimal number, got';

  it('of a bill are doubts of the months of their days until the bill is read without them', async () => {
    const tenant = await newTenant(test);
    const rest = [...fill('2026-01-31'), ...fill('2026-02-05')];
    await loadBill(tenant, [
      ...rest,
      dayLine('2026-01-10', '12,345.67'),
      dayLine('2026-01-11', '12,345.67'),
      // Thousands separators, currencies and brackets are not guessed.
      dayLine('2026-02-01', '$10,000.00 '),
    ]);
    const january = `2026-01: has 2 rejected rows in 2026-01, such as ${NOT_A_NUMBER} "12,345.67" (amount not known)`;
    expect(await doubts(tenant)).toEqual([
      january,
      `2026-02: has 1 rejected row in 2026-02, such as ${NOT_A_NUMBER} "$10,000.00 " (amount not known)`,
    ]);
    // A run of February says nothing of January.
    await loadBill(tenant, rest, { startMonth: '2026-02' });
    expect(await doubts(tenant)).toEqual([january]);
    // The bill is refused as a whole, so that its doubts stay.
    await expect(loadBill(tenant, [dayLine('2026-01-10', '(5.00)')])).rejects.toThrow(
      /1 of 1 rows cannot be read/,
    );
    expect(await doubts(tenant)).toEqual([january]);
    await loadBill(tenant, rest);
    expect(await doubts(tenant)).toEqual([]);
  });

  it('have an amount if only something else could not be read', async () => {
    const tenant = await newTenant(test);
    await loadBill(tenant, [
      ...fill('2026-01-31'),
      dayLine('2026-01-10', '600', { ChargePeriodStart: '10.01.2026' }),
      // 20 more, of which the day can be read and the account cannot.
      dayLine('2026-01-11', '20', { SubAccountId: '', BillingAccountId: '' }),
      // A correction of January in February's bill.
      dayLine('2026-01-12', '-7', { BillingPeriodStart: '2026-02-01T00:00:00Z', BillingCurrency: '' }),
      ...fill('2026-02-01'),
    ]);
    expect(await doubts(tenant)).toEqual([
      '2026-01: has 1 rejected row in 2026-01 (billing period 2026-02-01), such as BillingCurrency: expected a currency, got nothing (-7)',
      '2026-01: has 2 rejected rows in 2026-01, such as ChargePeriodStart: expected a UTC time, got "10.01.2026" (620)',
    ]);
  });

  it('are remembered for each day, also of a billing period without a load', async () => {
    const tenant = await newTenant(test);
    const at = (day: string) => ({ now: new Date(`${day}T06:00:00Z`) });
    const rows = fill('2026-01-31');
    await loadBill(tenant, [...rows, dayLine('2025-12-31', '1,0')], at('2026-02-07'));
    await loadBill(tenant, [...rows, dayLine('2025-12-31', '1')], at('2026-02-09'));
    await loadBill(tenant, [...rows, dayLine('2025-12-31', '2,0')], at('2026-02-11'));
    const of = (cost: string) => [
      `2025-12: has 1 rejected row in 2025-12, such as ${NOT_A_NUMBER} "${cost}" (amount not known)`,
    ];
    expect(await doubts(tenant, '2026-02-07')).toEqual([]);
    expect(await doubts(tenant, '2026-02-08')).toEqual(of('1,0'));
    expect(await doubts(tenant, '2026-02-10')).toEqual([]);
    expect(await doubts(tenant)).toEqual(of('2,0'));
  });

  onDuckDb(() => {
    it('of a charge over months are doubts of each of them', async () => {
      const tenant = await newTenant(test);
      await loadBill(tenant, [
        ...fill('2026-01-31'),
        dayLine('2026-01-01', '1,200.00', { ChargePeriodEnd: '2026-04-01T00:00:00Z' }),
        ...fill('2026-02-01'),
      ]);
      const of = (month: string, period = '') =>
        `${month}: has 1 rejected row in ${month}${period}, such as ${NOT_A_NUMBER} "1,200.00" (amount not known)`;
      const lateIn = ' (billing period 2026-01-01)';
      expect(await doubts(tenant)).toEqual([of('2026-01'), of('2026-02', lateIn), of('2026-03', lateIn)]);
      await loadBill(tenant, fill('2026-02-01'));
      expect(await doubts(tenant)).toHaveLength(3);
      await loadBill(tenant, fill('2026-01-01'));
      expect(await doubts(tenant)).toEqual([]);
    });

    it('of which no month can be read are doubts of all billing periods of the run', async () => {
      const tenant = await newTenant(test);
      const rest = [...fill('2025-12-31'), ...fill('2026-01-31')];
      await loadBill(tenant, fill('2025-11-30'));
      await loadBill(tenant, [
        ...rest,
        dayLine('2026-01-10', '8', { ChargePeriodStart: '', BillingPeriodStart: 'January' }),
      ]);
      const maybe = (month: string) =>
        `${month}: has 1 rejected row whose month cannot be read and may be ${month}, ` +
        'such as ChargePeriodStart: expected a UTC time, got nothing (8)';
      expect(await doubts(tenant)).toEqual([maybe('2025-12'), maybe('2026-01')]);
      await loadBill(tenant, rest, { startMonth: '2026-01' });
      expect(await doubts(tenant)).toEqual([maybe('2025-12')]);
      // A line that is not CSV has no month either.
      await loadText(test, tenant, `${focusCsv(rest)}"broken"line,1\n`);
      expect((await doubts(tenant)).map((doubt) => doubt.slice(0, 82))).toEqual([
        '2025-12: has 1 rejected row whose month cannot be read and may be 2025-12, such as',
        '2026-01: has 1 rejected row whose month cannot be read and may be 2026-01, such as',
      ]);
    });

    it('are doubts even if no row of their billing period can be read', async () => {
      const tenant = await newTenant(test);
      const january = fill('2026-01-31');
      const bad = (...costs: string[]) => costs.map((cost) => dayLine('2025-12-31', cost));
      await loadBill(tenant, [...january, ...bad('1,0')]);
      const of = (rows: string, cost: string) =>
        `2025-12: has ${rows} in 2025-12, such as ${NOT_A_NUMBER} "${cost}" (amount not known)`;
      expect(await doubts(tenant)).toEqual([of('1 rejected row', '1,0')]);
      // The next run finds the same, and no run adds to what another has found.
      await loadBill(tenant, [...fill('2026-01-31'), ...january, ...bad('2,0', '3,0')]);
      expect(await doubts(tenant)).toEqual([of('2 rejected rows', '2,0')]);
      await loadBill(tenant, january);
      expect(await doubts(tenant)).toEqual([of('2 rejected rows', '2,0')]);
      await loadBill(tenant, [...january, dayLine('2025-12-31', '5')]);
      expect(await doubts(tenant)).toEqual([]);
      // December's load stays, and a later reading doubts it again.
      await loadBill(tenant, [...january, ...bad('4,0')]);
      expect(await doubts(tenant)).toEqual([of('1 rejected row', '4,0')]);
      await loadBill(tenant, [...january, dayLine('2025-12-31', '5')]);
      expect(await doubts(tenant)).toEqual([]);
    });
  });

  const loadHostFile = (tenant: Tenant, lines: readonly string[], changes: Partial<LoadScope> = {}) =>
    loadHostLines(test, tenant, lines, changes);
  const hostFill = (...days: string[]) =>
    days.flatMap((day) => Array.from({ length: MANY }, () => `${day},a,x,0`));

  it('of hosts stay doubts of the days that a later file lacks', async () => {
    const tenant = await newTenant(test);
    await loadHostFile(tenant, [
      ...hostFill('2026-01-10', '2026-01-11', '2026-01-12'),
      '2026-01-10,b,x,"1,5"',
      '2026-01-11,b,x,"2,5"',
      '2026-01-12,b,,"$3"',
      '2026-01-13,b,x,4..',
    ]);
    const of = (rows: string, cost: string) =>
      `2026-01: has ${rows} in 2026-01, such as cost: expected a decimal number, got "${cost}" (amount not known)`;
    expect(await doubts(tenant)).toEqual([of('4 rejected rows', '$3')]);
    // The 11th and the 12th are read again. The 10th stays, and the 13th, of which no row could ever be read.
    await loadHostFile(tenant, hostFill('2026-01-11', '2026-01-12'));
    expect(await doubts(tenant)).toEqual([of('2 rejected rows', '1,5')]);
    await loadHostFile(tenant, hostFill('2026-01-13', '2026-02-01'));
    expect(await doubts(tenant)).toEqual([of('1 rejected row', '1,5')]);
    // A month that the file lacks stays with its doubts.
    await loadHostFile(tenant, hostFill('2026-02-01'));
    expect(await doubts(tenant)).toEqual([of('1 rejected row', '1,5')]);
    await loadHostFile(tenant, hostFill('2026-01-10'));
    expect(await doubts(tenant)).toEqual([]);
  });

  onDuckDb(() => {
    it('of hosts without a day stay while days stay that they may belong to', async () => {
      const tenant = await newTenant(test);
      await loadHostFile(tenant, [...hostFill('2026-01-10', '2026-01-11'), '10.01.2026,b,x,9']);
      const maybe =
        '2026-01: has 1 rejected row whose month cannot be read and may be 2026-01, ' +
        'such as day: expected a day as YYYY-MM-DD or an instant, got "10.01.2026" (9)';
      expect(await doubts(tenant)).toEqual([maybe]);
      await loadHostFile(tenant, hostFill('2026-01-11'));
      expect(await doubts(tenant)).toEqual([maybe]);
      await loadHostFile(tenant, hostFill('2026-01-10', '2026-01-11'));
      expect(await doubts(tenant)).toEqual([]);
      await loadHostFile(tenant, [...hostFill('2026-01-10', '2026-01-11'), '10.01.2026,b,x,9']);
      // The ingest drops the 10th, and with it what the row may belong to.
      await loadHostFile(tenant, hostFill('2026-01-11'), { acceptShrink: true });
      expect(await doubts(tenant)).toEqual([]);
    });

    it('of hosts in a month without a readable row stay by day', async () => {
      const tenant = await newTenant(test);
      const of = (rows: string, cost: string) =>
        `2025-12: has ${rows} in 2025-12, such as cost: expected a decimal number, got "${cost}" (amount not known)`;
      await loadHostFile(tenant, [...hostFill('2026-01-01'), '2025-12-30,b,x,"1,5"']);
      await loadHostFile(tenant, [...hostFill('2026-01-01'), '2025-12-31,b,x,"2,5"']);
      expect(await doubts(tenant)).toEqual([of('2 rejected rows', '1,5')]);
      await loadHostFile(tenant, hostFill('2025-12-30'));
      expect(await doubts(tenant)).toEqual([of('1 rejected row', '2,5')]);
      await loadHostFile(tenant, hostFill('2025-12-31'));
      expect(await doubts(tenant)).toEqual([]);
    });
  });

  const times = (line: string) => Array.from({ length: MANY }, () => line);

  it('of AI tools are doubts of spend and of usage', async () => {
    const tenant = await newTenant(test);
    const spend = times('2026-01-10,chat,0');
    const usage = times('2026-01-10,chat,github.com/acme/web,1');
    await loadAiLines(test, tenant, {
      spend: [...spend, '2026-01-10,,42'],
      // Usage of a month without spend costs nothing, and its rejected rows are no doubt.
      usage: [
        ...usage,
        '2026-01-10,chat,github.com/acme/api,-1',
        '2025-06-10,chat,github.com/acme/api,-1',
        ...usage,
      ],
    });
    const ofUsage =
      '2026-01: has 1 rejected row of options.usage_location in 2026-01, ' +
      'such as usage: expected a number from 0 to 1e12, got "-1" (amount not known)';
    expect(await doubts(tenant)).toEqual(
      [
        ofUsage,
        '2026-01: has 1 rejected row in 2026-01, such as tool: expected a text, got nothing (42)',
      ].sort(),
    );
    // Each feed keeps its own days.
    await loadAiLines(test, tenant, { spend, usage: times('2026-01-11,chat,github.com/acme/web,1') });
    expect(await doubts(tenant)).toEqual([ofUsage]);
    await loadAiLines(test, tenant, { spend, usage });
    expect(await doubts(tenant)).toEqual([]);
  });

  it('of clusters are doubts of allocations and of assets', async () => {
    const tenant = await newTenant(test, 'opencost');
    const allocations = times('2026-01-10,prod,shop,deployment,api,0,0');
    const assets = times('2026-01-10,prod,node,i-1,0');
    await loadClusterLines(test, tenant, {
      allocations: [...allocations, '2026-01-10,prod,shop,deployment,api,100,"1,0"'],
      assets: [...assets, '2026-01-10,prod,rocket,i-2,7'],
    });
    const ofAssets =
      '2026-01: has 1 rejected row of assets in 2026-01, ' +
      'such as kind: expected Node, Disk, LoadBalancer or ClusterManagement, got "rocket" (amount not known)';
    expect(await doubts(tenant)).toEqual([
      // The shared part of the 100 is not known.
      '2026-01: has 1 rejected row in 2026-01, such as SharedCost: expected a decimal number, got "1,0" (amount not known)',
      ofAssets,
    ]);
    await loadClusterLines(test, tenant, { allocations, assets: times('2026-01-11,prod,node,i-1,0') });
    expect(await doubts(tenant)).toEqual([ofAssets]);
    await loadClusterLines(test, tenant, { allocations, assets });
    expect(await doubts(tenant)).toEqual([]);
  });

  it('are no doubt if there are none', async () => {
    const tenant = await newTenant(test);
    await loadBill(tenant, fill('2026-01-10'));
    await loadHostFile(tenant, hostFill('2026-01-10'));
    expect(await doubts(tenant)).toEqual([]);
  });
});
