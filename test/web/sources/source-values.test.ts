import { describe, expect, it } from 'vitest';
import { monthsText, tookText } from '../../../web/sources/runs/run-texts.ts';
import { bodyOfNew, changesOf, valuesOf } from '../../../web/sources/source-values.ts';

describe('what people fill in about a source', () => {
  const empty = valuesOf(undefined);
  const common = {
    name: 'Prod',
    location: '/exports/*.csv',
    currency: null,
    schedule_paused: false,
    starts_on: null,
  };

  it('is sent without blanks at its ends, and without what its kind does not have', () => {
    const filled = {
      ...empty,
      name: ' Prod ',
      location: ' /exports/*.csv ',
      currency: ' ',
      options: { ...empty.options, cluster: ' prod ', usage_location: '/usage.csv ' },
    };
    expect(bodyOfNew({ ...filled, kind: 'focus' })).toEqual({
      ...common,
      kind: 'focus',
      options: { cost_column: 'EffectiveCost' },
    });
    expect(bodyOfNew({ ...filled, kind: 'opencost' })).toEqual({
      ...common,
      kind: 'opencost',
      options: { on_bill: 'auto', cluster: 'prod' },
    });
    expect(bodyOfNew({ ...filled, kind: 'hosts', options: { on_bill: 'never' } })).toEqual({
      ...common,
      kind: 'hosts',
      options: { on_bill: 'never' },
    });
    expect(bodyOfNew({ ...filled, kind: 'ai_tools' })).toEqual({
      ...common,
      kind: 'ai_tools',
      options: { usage_location: '/usage.csv' },
    });
  });

  it('has options of objects and numbers, and no option that stands for none', () => {
    const filled = {
      ...empty,
      name: 'Prod',
      location: 'bigquery://acme.billing.costs',
      options: {
        ...empty.options,
        max_bytes: ' 1000 ',
        'columns/cost': 'amount',
        'defaults/currency': 'USD',
      },
    };
    expect(bodyOfNew({ ...filled, kind: 'gcp_billing' })).toMatchObject({
      options: { cost_column: 'EffectiveCost', max_bytes: 1000 },
    });
    expect(bodyOfNew({ ...filled, kind: 'focus', location: '/exports' })).toMatchObject({
      options: { cost_column: 'EffectiveCost' },
    });
    expect(bodyOfNew({ ...filled, kind: 'custom' })).toMatchObject({
      options: { columns: { cost: 'amount' }, defaults: { currency: 'USD' } },
    });
    expect(bodyOfNew({ ...filled, kind: 'ai_tools' })).toMatchObject({ options: {} });
  });

  it('has no kind once the source is there', () => {
    expect(changesOf({ ...empty, name: 'Prod', isRead: false, startsOn: '2026-01-05' })).toEqual({
      ...common,
      location: '',
      schedule_paused: true,
      starts_on: '2026-01-05',
      options: { cost_column: 'EffectiveCost' },
    });
  });
});

describe('a run in words', () => {
  it('took seconds or minutes', () => {
    const took = (finished_at: string | null) =>
      tookText({ started_at: '2026-02-07T06:00:00Z', finished_at });
    expect(took(null)).toBe('under way');
    expect(took('2026-02-07T06:00:00.400Z')).toBe('under 1 s');
    expect(took('2026-02-07T06:01:59Z')).toBe('119 s');
    expect(took('2026-02-07T06:02:29Z')).toBe('2 min');
  });

  it('had no, one or several months', () => {
    expect(monthsText([])).toBe('no months');
    expect(monthsText(['2026-01'])).toBe('2026-01');
    expect(monthsText(['2025-12', '2026-01', '2026-02'])).toBe('2025-12 to 2026-02');
  });
});
