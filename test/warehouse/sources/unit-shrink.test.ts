import { expect, it } from 'vitest';
import type { LoadScope } from '../../../warehouse/sources/publishing/load.ts';
import { dayLine, focusCsv, type FocusLine } from '../../support/exports/focus-export.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { loadAiLines, loadClusterLines, loadHostLines } from '../../support/warehouse/feed-texts.ts';
import type { Tenant } from '../../support/warehouse/feeds.ts';
import { loadText, newOrganisation, newSource, spendByAccount } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

const DAYS = Array.from({ length: 31 }, (_, index) => `2026-01-${String(index + 1).padStart(2, '0')}`);

/** Returns a line on each day of January for each account, with its cost of a day. */
const bill = (accounts: Record<string, string>, more: FocusLine = {}): FocusLine[] =>
  Object.entries(accounts).flatMap(([account, cost]) =>
    DAYS.map((day) => dayLine(day, cost, { SubAccountId: account, ...more })),
  );

describeOnBothEngines('a unit that a settled month would lose', (open, onDuckDb) => {
  const test = withOpened(open);

  const settle = (orgId: string) =>
    test.warehouse.run(
      `INSERT INTO settled_months BY NAME
       SELECT $org AS org_id, DATE '2026-01-01' AS month, TIMESTAMP '2026-02-06 06:15:00' AS settled_at`,
      { org: orgId },
    );

  /** Returns a tenant whose January has settled with these lines of a bill. */
  const settledBill = async (lines: readonly FocusLine[]): Promise<Tenant> => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const { id: sourceId } = await newSource(test.warehouse, orgId);
    await read({ orgId, sourceId }, lines);
    await settle(orgId);
    return { orgId, sourceId };
  };

  let runs = 0;
  const read = (tenant: Tenant, lines: readonly FocusLine[], acceptShrink = false) =>
    loadText(test, tenant, focusCsv(lines), { runId: `run_${(runs += 1)}`, acceptShrink });

  const TAKE = 'Correct what the source reads, or start the ingest with accept_shrink to take it as it is';

  it('is refused with its account and amount, unless the ingest accepts it: 31 of 310', async () => {
    const tenant = await settledBill(bill({ big: '9', small: '1' }));
    const before = await spendByAccount(test.warehouse, tenant.orgId);
    await expect(read(tenant, bill({ small: '1' }))).rejects.toMatchObject({
      kind: 'invalid',
      message:
        'the source no longer has account "big" of aws, which had 279 USD in 2026-01, in settled months; ' +
        `nothing was loaded. ${TAKE}`,
    });
    expect(await spendByAccount(test.warehouse, tenant.orgId)).toEqual(before);
    expect(await read(tenant, bill({ small: '1' }), true)).toMatchObject({
      costTotal: '31.000000000000000',
      notes: ['the source no longer has account "big" of aws, which had 279 USD in 2026-01'],
    });
    // The next scheduled ingest needs no acceptance.
    expect(await read(tenant, bill({ small: '1' }))).toMatchObject({ notes: [] });
  });

  const FEBRUARY = { BillingPeriodStart: '2026-02-01T00:00:00Z' };

  onDuckDb(() => {
    it.each([
      {
        title: 'two of three accounts: 62 of 1,147',
        before: bill({ a: '20', b: '15', c: '2' }),
        after: bill({ c: '2' }),
        sentence:
          /^the source no longer has account "a" .* 620 USD in 2026-01; .* "b" of aws, which had 465 USD in 2026-01, in settled/,
      },
      {
        title: 'more than half of an account: 124 of 310',
        before: bill({ a: '10', b: '3' }),
        after: bill({ a: '4', b: '3' }),
        sentence: /^account "a" of aws had 310 USD in 2026-01, and has only 124 USD left, in settled months/,
      },
      {
        title: 'an account of another cloud, although the rest rose by as much',
        before: [...bill({ a: '8' }), ...bill({ sub: '5' }, { ProviderName: 'Microsoft' })],
        after: bill({ a: '13' }),
        sentence: /^the source no longer has account "sub" of azure, which had 155 USD in 2026-01/,
      },
      {
        title: 'a small account of a large bill: 1.55 of 31,001.55',
        before: bill({ a: '1000', tiny: '0.05' }),
        after: bill({ a: '1000' }),
        sentence: /^the source no longer has account "tiny" of aws, which had 1.55 USD in 2026-01/,
      },
      {
        title: 'an account of exactly 1 in a large bill',
        before: [...bill({ a: '1000' }), dayLine('2026-01-05', '1', { SubAccountId: 'tiny' })],
        after: bill({ a: '1000' }),
        sentence: /^the source no longer has account "tiny" of aws, which had 1 USD in 2026-01/,
      },
      {
        title: 'one account, while another is renamed',
        before: bill({ a: '9', b: '7' }),
        after: bill({ renamed: '9' }),
        sentence:
          /the source no longer has account "b" of aws, which had 217 USD in 2026-01, in settled months/,
      },
    ])('is refused: $title', async ({ before, after, sentence }) => {
      await expect(read(await settledBill(before), after)).rejects.toThrow(sentence);
    });

    it.each([
      {
        title: 'a bill is restated by a few cents',
        before: bill({ a: '9', b: '1', c: '0.02' }),
        after: bill({ a: '8.99', b: '1.01' }),
      },
      {
        title: 'a credit lowers an account by 5 %',
        before: bill({ a: '9', b: '1' }),
        after: [...bill({ a: '9', b: '1' }), dayLine('2026-01-31', '-13.95', { SubAccountId: 'a' })],
      },
      {
        title: 'an account keeps exactly half of its money',
        before: bill({ a: '10', b: '3' }),
        after: bill({ a: '5', b: '3' }),
      },
      {
        title: 'an account of less than 1 goes',
        before: [...bill({ a: '9' }), dayLine('2026-01-05', '0.99', { SubAccountId: 'tiny' })],
        after: bill({ a: '9' }),
      },
      {
        title: 'an account is renamed, and a few cents are restated',
        before: bill({ a: '9', b: '1' }),
        after: bill({ 'aws:a': '8.99', b: '1' }),
      },
      {
        title: 'accounts are moved into another one',
        before: bill({ a: '9', b: '3', c: '1' }),
        after: bill({ c: '13' }),
      },
      {
        title: 'an account moves to another payer',
        before: bill({ a: '9', b: '1' }, { BillingAccountId: 'old payer' }),
        after: [...bill({ a: '9' }, { BillingAccountId: 'new payer' }), ...bill({ b: '1' })],
      },
      {
        title: 'rows move to the next billing period',
        before: [...bill({ a: '9', b: '1' }), dayLine('2026-02-01', '1', { SubAccountId: 'a' })],
        after: [
          ...bill({ b: '1' }),
          ...bill({ a: '9' }, FEBRUARY),
          dayLine('2026-02-01', '1', { SubAccountId: 'a' }),
        ],
      },
      {
        title: 'rows move to a billing period that had no load',
        before: bill({ a: '9', b: '1' }),
        after: [...bill({ b: '1' }), ...bill({ a: '9' }, FEBRUARY)],
      },
      {
        title: 'a small account of a large bill loses most of its money',
        before: bill({ a: '1000', tiny: '1' }),
        after: bill({ a: '1000', tiny: '0.1' }),
      },
      {
        title: 'an account had only credits',
        before: bill({ a: '9', b: '-1' }),
        after: bill({ a: '9' }),
      },
      {
        title: 'a monthly charge moves to another day',
        before: [...bill({ a: '9' }), dayLine('2026-01-01', '50', { SubAccountId: 'fees' })],
        after: [...bill({ a: '9' }), dayLine('2026-01-31', '50', { SubAccountId: 'fees' })],
      },
    ])('is not refused if $title', async ({ before, after }) => {
      const tenant = await settledBill(before);
      expect(await read(tenant, after)).toMatchObject({ notes: [] });
    });

    it('is a note in a month that has not settled', async () => {
      const { id: orgId } = await newOrganisation(test.warehouse);
      const tenant = { orgId, sourceId: (await newSource(test.warehouse, orgId)).id };
      await read(tenant, bill({ big: '9', small: '1' }));
      expect(await read(tenant, bill({ small: '1' }))).toMatchObject({
        notes: ['the source no longer has account "big" of aws, which had 279 USD in 2026-01'],
      });
    });

    it('is found again by a retry of the run', async () => {
      const tenant = await settledBill(bill({ big: '9', small: '1' }));
      const again = (acceptShrink: boolean) =>
        loadText(test, tenant, focusCsv(bill({ small: '1' })), { runId: 'run_retried', acceptShrink });
      const { notes } = await again(true);
      expect((await again(true)).notes).toEqual(notes);
      expect(notes).toHaveLength(1);
    });

    it('is not named beside the days that all units lose', async () => {
      const tenant = await settledBill(bill({ big: '9', small: '1' }));
      const half = bill({ big: '9', small: '1' }).filter(
        ({ ChargePeriodStart: day = '' }) => day < '2026-01-13',
      );
      await expect(read(tenant, half)).rejects.toThrow(
        /^the export no longer has 2026-01-13 to 2026-01-31, which had 190 USD; [^;]*; nothing was loaded/,
      );
      expect((await read(tenant, half, true)).notes).toHaveLength(1);
    });
  });

  /** Reads lines of days and units, with the unit's cost of a day. */
  const KINDS = [
    {
      kind: 'hosts',
      unit: 'host',
      load: (tenant: Tenant, units: Record<string, string>, changes: Partial<LoadScope>) =>
        loadHostLines(
          test,
          tenant,
          linesOf(units, (day, host, cost) => `${day},${host},x,${cost}`),
          changes,
        ),
    },
    {
      kind: 'ai_tools',
      unit: 'tool',
      load: (tenant: Tenant, units: Record<string, string>, changes: Partial<LoadScope>) =>
        loadAiLines(
          test,
          tenant,
          {
            spend: linesOf(units, (day, tool, cost) => `${day},${tool},${cost}`),
            usage: linesOf(units, (day, tool) => `${day},${tool},github.com/acme/web,1`),
          },
          changes,
        ),
    },
    {
      kind: 'opencost',
      unit: 'cluster',
      load: (tenant: Tenant, units: Record<string, string>, changes: Partial<LoadScope>) =>
        loadClusterLines(
          test,
          tenant,
          {
            allocations: linesOf(
              units,
              (day, cluster, cost) => `${day},${cluster},shop,deployment,api,${cost},0`,
            ),
            assets: [],
          },
          changes,
        ),
    },
  ] as const;
  const linesOf = (
    units: Record<string, string>,
    line: (day: string, unit: string, cost: string) => string,
  ): string[] => Object.entries(units).flatMap(([unit, cost]) => DAYS.map((day) => line(day, unit, cost)));

  it.each(KINDS)('is refused for $kind: $unit "b" of 155', async ({ kind, unit, load }) => {
    const { id: orgId } = await newOrganisation(test.warehouse, { currency: 'EUR' });
    const options = kind === 'ai_tools' ? { usage_location: '/exports/usage' } : {};
    const { id: sourceId } = await newSource(test.warehouse, orgId, {
      kind,
      options,
    } as Parameters<typeof newSource>[2]);
    const tenant = { orgId, sourceId };
    const reading = (units: Record<string, string>, changes: Partial<LoadScope> = {}) =>
      load(tenant, units, { runId: `run_${(runs += 1)}`, ...changes });
    await reading({ a: '2', b: '5' });
    await settle(orgId);
    await expect(reading({ a: '2' })).rejects.toThrow(
      `the source no longer has ${unit} "b", which had 155 EUR in 2026-01, in settled months; nothing was loaded. ${TAKE}`,
    );
    await expect(reading({ a: '2', b: '1' })).rejects.toThrow(
      `${unit} "b" had 155 EUR in 2026-01, and has only 31 EUR left, in settled months; nothing was loaded.`,
    );
    // Renamed, and restated by 4 %.
    expect(await reading({ a: '2', 'b-1': '4.8' })).toMatchObject({ notes: [] });
    expect(await reading({ a: '2' }, { acceptShrink: true })).toMatchObject({
      notes: [`the source no longer has ${unit} "b-1", which had 148.8 EUR in 2026-01`],
    });
  });
});
