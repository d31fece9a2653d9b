import { expect, it } from 'vitest';
import { updateCostSource } from '../../../warehouse/sources/cost-sources.ts';
import { costsOf } from '../../support/warehouse/costs-of.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import {
  BY_ADMIN,
  loadText,
  money,
  newOrganisation,
  newSource,
  NOW,
} from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

const NO_ASSETS = { kubernetes: '0', hosts: '0' };
const NOTHING = { cloud: '0', kubernetes: '0', hosts: '0', ai_tools: '0' };
const JANUARY = { previousStart: '2025-12-01', start: '2026-01-01', end: '2026-01-31' };

describeOnBothEngines('the summary of costs', (open, onDuckDb) => {
  const test = withOpened(open);

  it('adds up by day, by account and in total, with the range before', async () => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const aws = await newSource(test.warehouse, orgId, { name: 'AWS' });
    const azure = await newSource(test.warehouse, orgId, { name: 'Azure' });
    await loadText(
      test,
      { orgId, sourceId: aws.id },
      focusCsv([
        dayLine('2025-11-30', '1000'), // a day before either range
        dayLine('2025-12-01', '7'),
        dayLine('2025-12-31', '3.5'),
        dayLine('2026-01-01', '10.25'),
        dayLine('2026-01-01', '0.000000000000001'),
        dayLine('2026-01-31', '4', { SubAccountId: '2222', SubAccountName: 'Search' }),
        dayLine('2026-02-01', '500'), // a day after
      ]),
    );
    await loadText(
      test,
      { orgId, sourceId: azure.id },
      focusCsv([
        dayLine('2026-01-01', '20', { ProviderName: 'Microsoft', SubAccountName: 'NULL' }),
        dayLine('2026-01-31', '-2', { ProviderName: 'Microsoft', SubAccountName: 'NULL' }),
      ]),
    );
    expect(await costsOf(test.warehouse, orgId, JANUARY, NOW)).toEqual({
      // 10.25 + 10⁻¹⁵ + 4 + 20 − 2
      total: '32.250000000000001',
      bySource: { ...NOTHING, cloud: '32.250000000000001' },
      byDay: [
        { day: '2026-01-01', total: '30.250000000000001' }, // 10.25 + 10⁻¹⁵ + 20
        { day: '2026-01-31', total: money('2') }, // 4 − 2
      ],
      // Account 1111 of another cloud is another account.
      byAccount: [
        { cloud: 'azure', account: '1111', name: null, total: money('18'), ...NO_ASSETS },
        { cloud: 'aws', account: '1111', name: 'Shop', total: '10.250000000000001', ...NO_ASSETS },
        { cloud: 'aws', account: '2222', name: 'Search', total: money('4'), ...NO_ASSETS },
      ],
      previousTotal: money('10.5'), // 7 + 3.5
      completeThrough: '2026-01-31', // AWS delivered 1 February, Azure only 31 January
    });
  });

  onDuckDb(() => {
    it('of one day compares with the day before', async () => {
      const { id: orgId } = await newOrganisation(test.warehouse);
      const { id: sourceId } = await newSource(test.warehouse, orgId);
      await loadText(
        test,
        { orgId, sourceId },
        focusCsv([dayLine('2026-01-09', '3'), dayLine('2026-01-10', '5')]),
      );
      const day = { previousStart: '2026-01-09', start: '2026-01-10', end: '2026-01-10' };
      expect(await costsOf(test.warehouse, orgId, day, NOW)).toMatchObject({
        total: money('5'),
        previousTotal: money('3'),
        byDay: [{ day: '2026-01-10', total: money('5') }],
      });
    });

    it('is 0 if nothing was ingested, with null for the range before', async () => {
      const { id: orgId } = await newOrganisation(test.warehouse);
      expect(await costsOf(test.warehouse, orgId, JANUARY, NOW)).toEqual({
        total: '0',
        bySource: NOTHING,
        byDay: [],
        byAccount: [],
        previousTotal: null,
        completeThrough: null,
      });
    });

    it('omits an account with spend only in the range before', async () => {
      const { id: orgId } = await newOrganisation(test.warehouse);
      const { id: sourceId } = await newSource(test.warehouse, orgId);
      await loadText(test, { orgId, sourceId }, focusCsv([dayLine('2025-12-10', '3')]));
      expect(await costsOf(test.warehouse, orgId, JANUARY, NOW)).toMatchObject({
        total: '0',
        byDay: [],
        byAccount: [],
        previousTotal: money('3'),
      });
    });
  });

  it('never includes another organisation', async () => {
    const [mine, theirs] = [await newOrganisation(test.warehouse), await newOrganisation(test.warehouse)];
    const [myBill, theirBill] = [
      await newSource(test.warehouse, mine.id),
      await newSource(test.warehouse, theirs.id),
    ];
    await loadText(
      test,
      { orgId: mine.id, sourceId: myBill.id },
      focusCsv([dayLine('2026-01-10', '1'), dayLine('2025-12-10', '2')]),
    );
    await loadText(
      test,
      { orgId: theirs.id, sourceId: theirBill.id },
      focusCsv([dayLine('2026-01-10', '1000'), dayLine('2025-12-10', '2000'), dayLine('2026-01-31', '1')]),
    );
    expect(await costsOf(test.warehouse, mine.id, JANUARY, NOW)).toEqual({
      total: money('1'),
      bySource: { ...NOTHING, cloud: money('1') },
      byDay: [{ day: '2026-01-10', total: money('1') }],
      byAccount: [{ cloud: 'aws', account: '1111', name: 'Shop', total: money('1'), ...NO_ASSETS }],
      previousTotal: money('2'),
      completeThrough: '2026-01-10',
    });
  });

  it('is complete through the last day that every active source has delivered', async () => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const completeThrough = async () => (await costsOf(test.warehouse, orgId, JANUARY, NOW)).completeThrough;
    const aws = await newSource(test.warehouse, orgId, { name: 'AWS' });
    await loadText(
      test,
      { orgId, sourceId: aws.id },
      focusCsv([dayLine('2026-01-20', '1'), dayLine('2026-02-03', '1')]),
    );
    expect(await completeThrough()).toBe('2026-02-03');
    const azure = await newSource(test.warehouse, orgId, { name: 'Azure' });
    expect(await completeThrough()).toBeNull(); // it has delivered nothing yet
    await updateCostSource(test.warehouse, orgId, azure.id, { schedule_paused: true }, BY_ADMIN);
    expect(await completeThrough()).toBe('2026-02-03'); // nobody waits for a paused source
    await updateCostSource(test.warehouse, orgId, azure.id, { schedule_paused: false }, BY_ADMIN);
    await loadText(test, { orgId, sourceId: azure.id }, focusCsv([dayLine('2026-01-05', '1')]));
    expect(await completeThrough()).toBe('2026-01-05');
    await updateCostSource(test.warehouse, orgId, azure.id, 'delete', BY_ADMIN);
    expect(await completeThrough()).toBe('2026-02-03');
    await updateCostSource(test.warehouse, orgId, aws.id, { schedule_paused: true }, BY_ADMIN);
    expect(await completeThrough()).toBe('2026-02-03'); // no active source is left, so the paused one decides
  });

  onDuckDb(() => {
    it('keeps the spend of a paused source and drops that of a deleted one', async () => {
      const { id: orgId } = await newOrganisation(test.warehouse);
      const total = async () => (await costsOf(test.warehouse, orgId, JANUARY, NOW)).total;
      const [kept, dropped] = [
        await newSource(test.warehouse, orgId),
        await newSource(test.warehouse, orgId),
      ];
      await loadText(test, { orgId, sourceId: kept.id }, focusCsv([dayLine('2026-01-10', '1')]));
      await loadText(test, { orgId, sourceId: dropped.id }, focusCsv([dayLine('2026-01-10', '2')]));
      expect(await total()).toBe(money('3'));
      await updateCostSource(test.warehouse, orgId, kept.id, { schedule_paused: true }, BY_ADMIN);
      expect(await total()).toBe(money('3'));
      await updateCostSource(test.warehouse, orgId, dropped.id, 'delete', BY_ADMIN);
      expect(await total()).toBe(money('1'));
    });
  });
});
