import { expect, it } from 'vitest';
import { addDays } from '../../../domain/shared/calendar.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { as } from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { startLocalApi } from '../../support/service/local-api.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { loadText } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';
import { newMonthStory } from '../../warehouse/months/month-story.ts';

interface Unit {
  unit: string;
  ended_on: string | null;
  missing: { start: string; end: string }[];
  doubts: string[];
}

/** Today is 7 February 2026. */
describeOnBothEngines('the units of a cost source', (open) => {
  const api = withOpened(() => startLocalApi({ open }));

  const SENTENCE =
    'account 2222 (aws) of cost source "Bills" has no spend from 2026-01-13 to 2026-01-31, after spend on every day until ' +
    '2026-01-12; at its average of 20 a day, that is an estimated 380';

  /** Returns January with 31 × 4 + 12 × 20 = 364. */
  const newStory = async () => {
    const story = await newMonthStory(api);
    await story.changeSource({ name: 'Bills' });
    await story.values({ '2026-01-10': 364 });
    const days = Array.from({ length: 31 }, (_, day) => addDays('2026-01-01', day));
    await loadText(
      api,
      { orgId: story.orgId, sourceId: story.source.id },
      focusCsv([
        ...days.map((day) => dayLine(day, '4')),
        ...days.slice(0, 12).map((day) => dayLine(day, '20', { SubAccountId: '2222' })),
      ]),
    );
    const admin = as(api, await api.newKey(story.orgId));
    const path = `/cost-sources/${story.source.id}/units`;
    const months = () => admin.get<{ month: string }[]>(`/metrics/${story.metric.id}/months`);
    const january = async () => expectData(await months()).find(({ month }) => month === '2026-01');
    return { ...story, admin, path, january };
  };

  it('are listed with the days that they lack', async () => {
    const { admin, path } = await newStory();
    const units = expectData(await admin.get<Unit[]>(path));
    const common = { kind: 'account', first_day: '2026-01-01', ended_on: null, stands: false };
    expect(units).toEqual([
      { ...common, unit: 'aws/1111', last_day: '2026-01-31', missing: [], doubts: [] },
      {
        ...common,
        unit: 'aws/2222',
        last_day: '2026-01-12',
        missing: [{ start: '2026-01-13', end: '2026-01-31' }],
        doubts: [SENTENCE],
      },
    ]);
  });

  it('no longer hold a month back once one has ended; null takes that back', async () => {
    const { admin, path, january } = await newStory();
    expect(await january()).toMatchObject({
      status: 'open',
      can_lock: 'without_missing',
      missing: [{ code: 'unit_missing', sentence: SENTENCE, amount: 380 }],
    });
    const end = (day: string | null) => admin.post<Unit>(`${path}/end`, { unit: 'aws/2222', day });
    for (let times = 0; times < 2; times += 1)
      expect(expectData(await end('2026-01-12'))).toMatchObject({
        unit: 'aws/2222',
        ended_on: '2026-01-12',
        missing: [],
        doubts: [],
      });
    expect(await january()).toMatchObject({ status: 'ready_to_lock', missing: [], can_lock: 'now' });
    const audited = expectPage(
      await admin.get<{ action: string; detail: unknown }[]>('/audit-log?limit=5'),
    ).items;
    expect(audited.filter(({ action }) => action === 'cost_source.unit')).toMatchObject([
      { detail: { unit: 'aws/2222', ended_on: '2026-01-12', stands: false } },
    ]);
    expect(expectData(await end(null))).toMatchObject({ ended_on: null, doubts: [SENTENCE] });
    // The month has settled by then, but is not certain again.
    expect(await january()).toMatchObject({ status: 'open', missing: [{ sentence: SENTENCE }] });
  });

  it('of which one has a hole have its sentence, although one that is back cannot have ended', async () => {
    const story = await newStory();
    const days = Array.from({ length: 31 }, (_, day) => addDays('2026-01-01', day));
    await loadText(
      api,
      { orgId: story.orgId, sourceId: story.source.id },
      focusCsv([
        ...days.map((day) => dayLine(day, '4')),
        ...days
          .filter((_, day) => day < 12 || day > 16)
          .map((day) => dayLine(day, '20', { SubAccountId: '2222' })),
      ]),
    );
    expectData(await story.admin.post(`${story.path}/end`, { unit: 'aws/2222', day: '2026-01-31' }));
    const [, second] = expectData(await story.admin.get<Unit[]>(story.path));
    // 5 days at 20 a day.
    expect(second).toMatchObject({
      missing: [{ start: '2026-01-13', end: '2026-01-17' }],
      doubts: [
        'account 2222 (aws) of cost source "Bills" has no spend from 2026-01-13 to 2026-01-17, after spend on every day until ' +
          '2026-01-12 and again from 2026-01-18; at its average of 20 a day, that is an estimated 100',
      ],
    });
  });

  it('of which more are missing than a month names have a sentence each', async () => {
    const story = await newStory();
    const days = Array.from({ length: 31 }, (_, day) => addDays('2026-01-01', day));
    const accounts = Array.from({ length: 22 }, (_, index) => `${2000 + index}`);
    await loadText(
      api,
      { orgId: story.orgId, sourceId: story.source.id },
      focusCsv([
        ...days.map((day) => dayLine(day, '4')),
        ...accounts.flatMap((SubAccountId) =>
          days.slice(0, 12).map((day) => dayLine(day, '1', { SubAccountId })),
        ),
      ]),
      { acceptShrink: true },
    );
    const [sound, ...missing] = expectData(await story.admin.get<Unit[]>(story.path));
    expect(sound).toMatchObject({ missing: [], doubts: [] });
    expect(missing).toHaveLength(22);
    for (const { missing: ofUnit, doubts } of missing) {
      expect(ofUnit).toEqual([{ start: '2026-01-13', end: '2026-01-31' }]);
      expect(doubts).toEqual([expect.stringContaining('has no spend from 2026-01-13 to 2026-01-31')]);
    }
  });

  it('are confirmed apart from their end', async () => {
    const { admin, path } = await newStory();
    await admin.post(`${path}/end`, { unit: 'aws/2222', day: '2026-01-12' });
    const confirm = (stands: boolean) => admin.post<Unit>(`${path}/confirm`, { unit: 'aws/2222', stands });
    expect(expectData(await confirm(true))).toMatchObject({ stands: true, ended_on: '2026-01-12' });
    expect(expectData(await confirm(false))).toMatchObject({ stands: false, ended_on: '2026-01-12' });
  });

  it('are decided by admins, for a unit that the source has and a day', async () => {
    const { admin, path, orgId } = await newStory();
    const reader = as(api, await api.newKey(orgId, { permission: 'read' }));
    expectData(await reader.get(path));
    for (const [route, body] of [
      ['end', { unit: 'aws/2222', day: '2026-01-12' }],
      ['confirm', { unit: 'aws/2222', stands: true }],
    ] as const)
      expectError(await reader.post(`${path}/${route}`, body), 403);
    expect(expectError(await admin.post(`${path}/end`, { unit: 'aws/9', day: '2026-01-12' }), 400)).toContain(
      'unit: expected a unit of this cost source, such as "aws/1111", "aws/2222", got "aws/9"',
    );
    expectError(await admin.post(`${path}/end`, { unit: 'aws/2222' }), 400);
    expectError(await admin.post(`${path}/end`, { unit: 'aws/2222', day: '12 January' }), 400);
    expectError(await admin.post(`${path}/confirm`, { unit: 'aws/2222', stands: 'yes' }), 400);
    const other = await newStory();
    expectError(await admin.get(other.path), 404);
    expectError(await admin.post(`${other.path}/end`, { unit: 'aws/2222', day: null }), 404);
  });
});
