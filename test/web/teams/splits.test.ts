import { describe, expect, it } from 'vitest';
import { billMonths, shownMonth } from '../../../web/teams/bills/bill-months.ts';
import {
  draftOf,
  percentSum,
  splitOf,
  type SplitDraft,
} from '../../../web/teams/shared-costs/split-draft.ts';
import { splitWords, type Split } from '../../../web/teams/shared-costs/split-words.ts';

const TEAMS = new Map([
  ['t1', 'Shop'],
  ['t2', 'Search'],
  ['t3', 'Data'],
]);
const METRICS = new Map([['m1', 'Orders']]);
const words = (split: Split) => splitWords(split, TEAMS, METRICS);

describe('how a cost is split, in words', () => {
  it('evenly', () => {
    expect(words({ type: 'even', team_ids: ['t1'] })).toBe('All to Shop.');
    expect(words({ type: 'even', team_ids: ['t1', 't2', 't3'] })).toBe('Evenly over Shop, Search and Data.');
    expect(words({ type: 'even', team_ids: ['t1', 'gone'] })).toBe('Evenly over Shop and a deleted team.');
  });

  it('by percents, with what they leave', () => {
    const shares = [
      { team_id: 't1', percent: 60 },
      { team_id: 't2', percent: 39 },
    ];
    expect(words({ type: 'fixed', shares })).toBe('60% to Shop and 39% to Search. 1% stays unallocated.');
    expect(words({ type: 'fixed', shares: [{ team_id: 't1', percent: 100 }] })).toBe('100% to Shop.');
  });

  it('by the values of a metric', () => {
    const split: Split = { type: 'metric', metric_id: 'm1', labels: { eu: 't1', us: 't2' } };
    const rest = 'eu to Shop and us to Search. Other labels stay unallocated.';
    expect(words(split)).toBe(`By the month’s values of the metric Orders: ${rest}`);
    expect(words({ ...split, metric_id: 'gone' })).toBe(`By the month’s values of a metric: ${rest}`);
  });
});

describe('a split that people edit', () => {
  const draft = (changes: Partial<SplitDraft>): SplitDraft => ({ ...draftOf(null), ...changes });

  it('begins evenly without a team, and says what it lacks', () => {
    expect(splitOf(draftOf(null))).toBe('Choose the teams that share the cost.');
    expect(splitOf(draft({ type: 'fixed' }))).toMatch(/^Choose the teams/);
    expect(splitOf(draft({ type: 'metric' }))).toMatch(/^Choose the metric/);
    expect(splitOf(draft({ type: 'metric', metricId: 'm1', labels: [{ label: 'eu', teamId: null }] }))).toBe(
      'Choose a team for at least one label.',
    );
  });

  it('is the one that it was made of', () => {
    const splits: Split[] = [
      { type: 'even', team_ids: ['t1', 't2'] },
      { type: 'fixed', shares: [{ team_id: 't1', percent: 40 }] },
      { type: 'metric', metric_id: 'm1', labels: { eu: 't1' } },
    ];
    expect(splits.map((split) => splitOf(draftOf(split)))).toEqual(splits);
  });

  it('refuses percents that are missing, or above a hundred', () => {
    const shares = (...percents: string[]) =>
      percents.map((percent, index) => ({ teamId: `t${index + 1}`, percent }));
    expect(splitOf(draft({ type: 'fixed', shares: shares('60', '') }))).toBe(
      'Give each team a percent, or remove the team.',
    );
    expect(splitOf(draft({ type: 'fixed', shares: shares('60', '41') }))).toBe(
      'The percents must not exceed 100.',
    );
    expect(percentSum(draft({ shares: shares('33', 'x', '66') }))).toBe(99);
  });

  it('leaves out labels without a team', () => {
    const labels = [
      { label: 'eu', teamId: 't1' },
      { label: 'us', teamId: null },
    ];
    expect(splitOf(draft({ type: 'metric', metricId: 'm1', labels }))).toEqual({
      type: 'metric',
      metric_id: 'm1',
      labels: { eu: 't1' },
    });
  });
});

describe('the months of bills', () => {
  it('are the running one and the eleven before it', () => {
    const months = billMonths('2026-02-07');
    expect(months).toHaveLength(12);
    expect([months[0], months[1], months[2], months.at(-1)]).toEqual([
      ...['2026-02', '2026-01', '2025-12', '2025-03'],
    ]);
  });

  it('show the newest complete one unless the address names another of them', () => {
    expect(shownMonth(undefined, '2026-02-07')).toBe('2026-01');
    expect(shownMonth('2026-02', '2026-02-07')).toBe('2026-02');
    expect(shownMonth('2025-02', '2026-02-07')).toBe('2026-01');
  });
});
