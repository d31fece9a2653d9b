import { expect, it } from 'vitest';
import { listAuditLog } from '../../../warehouse/engine/records/audit-log.ts';
import { lockMonth } from '../../../warehouse/months/month-locks.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { money, NOW } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';
import { january, KEY, newMonthStory, type StoryChanges } from './month-story.ts';

describeOnBothEngines('locking a month', (open, onDuckDb) => {
  const test = withOpened(open);

  const newStory = (...changes: StoryChanges) => newMonthStory(test, ...changes);

  /** January: 1,000 spent, 250 orders, settled. */
  const readyStory = async () => {
    const story = await newStory();
    await story.spend({ '2026-01-10': '1000', '2026-01-31': '0' });
    await story.values({ '2026-01-10': 200, '2026-01-11': 50 });
    await story.settle();
    return story;
  };

  it('freezes cost, value and unit cost as version 1, and records who locked it', async () => {
    const story = await readyStory();
    expect((await january(story)).status).toBe('ready_to_lock');
    const locked = await story.lock('2026-01');
    expect(locked).toMatchObject({
      month: '2026-01',
      status: 'locked',
      version: 1,
      cost: 1000,
      value: 250,
      unit_cost: 4,
      locked: { version: 1, locked_at: NOW.toISOString(), locked_by: KEY },
      reason: null,
    });
    expect(await january(story)).toEqual(locked);
    expect(await story.versions('2026-01')).toEqual([
      {
        version: 1,
        cost: money('1000'),
        value: '250.0000000000',
        unit_cost: '4.00000000000000000000',
        locked_at: NOW.toISOString(),
        locked_by: KEY,
        missing: [],
      },
    ]);
    const { items: log } = await listAuditLog(test.warehouse, story.orgId, { limit: 2, cursor: null });
    expect(log.map(({ actor, action, target, detail }) => ({ actor, action, target, detail }))).toEqual([
      {
        actor: KEY,
        action: 'month.lock',
        target: story.metric.id,
        detail: { month: '2026-01', version: 1 },
      },
    ]);
  });

  it('records in the audit log alone that it was done through a session', async () => {
    const { orgId, organisation, metric } = await readyStory();
    const actor = { ...KEY, through: 'session' } as const;
    const { locked } = await lockMonth(test.warehouse, organisation, metric, '2026-01', { actor, now: NOW });
    expect(locked?.locked_by).toEqual(KEY);
    const { items } = await listAuditLog(test.warehouse, orgId, { limit: 2, cursor: null });
    const detail = { month: '2026-01', version: 1, through: 'session' };
    expect(items).toMatchObject([{ actor: KEY, action: 'month.lock', detail }]);
  });

  it('keeps its numbers despite late spend and a deleted source', async () => {
    const story = await readyStory();
    const locked = await story.lock('2026-01');
    await story.spend({ '2026-01-10': '5000', '2026-01-31': '0' });
    expect(await january(story)).toEqual(locked);
    await story.changeSource('delete');
    expect(await january(story)).toEqual(locked);
  });

  it('shows a changed value beside the frozen one, until the next lock', async () => {
    const story = await readyStory();
    await story.lock('2026-01');
    await story.spend({ '2026-01-10': '1200', '2026-01-31': '0' });
    await story.values({ '2026-01-11': 100 });
    expect(await january(story)).toMatchObject({
      status: 'changed_since_lock',
      version: 1,
      cost: 1000,
      value: 250,
      unit_cost: 4,
      current: { cost: 1200, value: 300, unit_cost: 4 }, // 1200 ÷ (200 + 100)
    });
    await story.values({ '2026-01-12': 100 });
    const later = new Date('2026-02-08T00:00:00Z');
    expect(await story.lock('2026-01', later)).toMatchObject({
      status: 'locked',
      version: 2,
      cost: 1200,
      value: 400,
      unit_cost: 3,
      locked: { locked_at: later.toISOString() },
    });
    expect(
      (await story.versions('2026-01')).map(({ version, cost, value, unit_cost }) => [
        version,
        cost,
        value,
        unit_cost,
      ]),
    ).toEqual([
      [2, money('1200'), '400.0000000000', '3.00000000000000000000'],
      [1, money('1000'), '250.0000000000', '4.00000000000000000000'],
    ]);
  });

  onDuckDb(() => {
    it('counts a value that changed and changed back as a change, but not an equal value', async () => {
      const story = await readyStory();
      await story.lock('2026-01');
      await story.values({ '2026-01-11': 50 });
      expect((await january(story)).status).toBe('locked');
      await story.values({ '2026-01-11': 51 });
      await story.values({ '2026-01-11': 50 });
      expect(await january(story)).toMatchObject({
        status: 'changed_since_lock',
        current: { cost: 1000, value: 250, unit_cost: 4 },
      });
    });

    it('ignores values of other months', async () => {
      const story = await readyStory();
      await story.lock('2026-01');
      await story.values({ '2025-12-31': 1, '2026-02-01': 1 });
      expect((await january(story)).status).toBe('locked');
    });

    it('keeps many versions in order although the clock stands still', async () => {
      const story = await readyStory();
      for (let value = 1; value <= 6; value += 1) {
        await story.values({ '2026-01-11': value });
        expect(await story.lock('2026-01')).toMatchObject({ version: value, value: 200 + value });
      }
      expect((await story.versions('2026-01')).map(({ version }) => version)).toEqual([6, 5, 4, 3, 2, 1]);
      expect((await january(story)).value).toBe(206);
    });

    it('is rejected for a month that is locked already', async () => {
      const story = await readyStory();
      await story.lock('2026-01');
      await expect(story.lock('2026-01')).rejects.toMatchObject({
        kind: 'conflict',
        message: '2026-01 is locked already, as version 1, and no value has changed since',
      });
      expect(await story.versions('2026-01')).toHaveLength(1);
    });

    it('is rejected for an open month, with the reason', async () => {
      const story = await readyStory();
      await expect(story.lock('2025-12')).rejects.toMatchObject({
        kind: 'conflict',
        message: expect.stringMatching(
          /^2025-12 cannot be locked: .*no value has been recorded for 2025-12/,
        ) as string,
      });
      await expect(story.lock('2026-02')).rejects.toThrow(
        '2026-02 cannot be locked: the month has not ended',
      );
      const unsettled = await newStory();
      await unsettled.spend({ '2026-01-31': '1' });
      await unsettled.values({ '2026-01-10': 1 });
      await expect(unsettled.lock('2026-01')).rejects.toThrow('waiting for the next daily settlement');
      const { items: log } = await listAuditLog(test.warehouse, unsettled.orgId, { limit: 10, cursor: null });
      expect(log.map(({ action }) => action)).toEqual(['metric.create', 'cost_source.create']);
    });
  });

  it('happens once when two requests lock at once', async () => {
    const story = await readyStory();
    const outcomes = await Promise.allSettled([story.lock('2026-01'), story.lock('2026-01')]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await story.versions('2026-01')).toHaveLength(1);
  });

  it('never hides a value that is written at the same time', async () => {
    const story = await readyStory();
    await Promise.all([story.lock('2026-01'), story.values({ '2026-01-12': 750 })]);
    const record = await january(story);
    // Either the version includes the value, or the month shows that it has changed since.
    expect([record.status, record.value]).toEqual(
      record.value === 1000 ? ['locked', 1000] : ['changed_since_lock', 250],
    );
  });

  it('freezes a month whose value is 0 without a unit cost', async () => {
    const story = await newStory();
    await story.spend({ '2026-01-31': '3' });
    await story.values({ '2026-01-10': 0 });
    await story.settle();
    expect(await story.lock('2026-01')).toMatchObject({
      status: 'locked',
      cost: 3,
      value: 0,
      unit_cost: null,
    });
  });

  onDuckDb(() => {
    it('keeps the exact cost with all its digits', async () => {
      const story = await newStory();
      await story.spend({ '2026-01-10': '123456789.123456789012345', '2026-01-31': '0.000000000000001' });
      await story.values({ '2026-01-10': 7 });
      await story.settle();
      await story.lock('2026-01');
      // 123456789.123456789012346 ÷ 7 = 17636684.160493827…
      expect(await story.versions('2026-01')).toMatchObject([
        { cost: '123456789.123456789012346', unit_cost: '17636684.16049382700176371429' },
      ]);
    });
  });
});
