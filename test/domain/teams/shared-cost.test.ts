import { describe, expect, it } from 'vitest';
import { moneyText } from '../../../domain/shared/decimals.ts';
import { sharesOf, type Split } from '../../../domain/teams/shared-cost.ts';

const HUNDRED = 100n * 10n ** 15n;
const shares = (split: Split, values: Record<string, string> = {}, units = HUNDRED) =>
  Object.fromEntries(
    [
      ...sharesOf(
        units,
        split,
        Object.entries(values).map(([label, sum]) => ({ label, sum })),
      ),
    ].map(([team, share]) => [team, moneyText(share)]),
  );

describe('a shared cost', () => {
  it('is split evenly, and the oldest team gets the last unit', () => {
    expect(shares({ type: 'even', team_ids: ['team_c', 'team_a', 'team_b'] })).toEqual({
      team_a: '33.333333333333334',
      team_b: '33.333333333333333',
      team_c: '33.333333333333333',
    });
  });

  it('is split by fixed percents, and nobody gets the rest', () => {
    const fixed = (...percents: [string, number][]): Split => ({
      type: 'fixed',
      shares: percents.map(([team_id, percent]) => ({ team_id, percent })),
    });
    expect(shares(fixed(['team_a', 60], ['team_b', 25.5]))).toEqual({
      team_a: '60.000000000000000',
      team_b: '25.500000000000000',
    });
    expect(shares(fixed(['team_a', 0.000001], ['team_b', 0]))).toEqual({
      team_a: '0.000001000000000',
      team_b: '0.000000000000000',
    });
    // The team and nobody have half a unit each: the team gets it.
    expect(shares(fixed(['team_a', 50]), {}, 1n)).toEqual({ team_a: '0.000000000000001' });
    expect(shares(fixed(['team_a', 0]))).toEqual({ team_a: '0.000000000000000' });
  });

  it('is split by the values of a metric, and nobody gets labels without a team', () => {
    const split: Split = {
      type: 'metric',
      metric_id: 'met_1',
      labels: { eu: 'team_a', us: 'team_b', uk: 'team_a', asia: 'team_c' },
    };
    // 10 + 20 of 100 are team a's, 30 team b's; 40 have no team; asia has no value.
    expect(shares(split, { eu: '10', uk: '20', us: '30', africa: '40' })).toEqual({
      team_a: '30.000000000000000',
      team_b: '30.000000000000000',
    });
    expect(shares(split, { eu: '1', us: '1', constructor: '1' })).toEqual({
      team_a: '33.333333333333334',
      team_b: '33.333333333333333',
    });
  });

  it('belongs to nobody if there are no values, or only 0', () => {
    const split: Split = { type: 'metric', metric_id: 'met_1', labels: { eu: 'team_a' } };
    expect(shares(split)).toEqual({});
    expect(shares(split, { eu: '0', us: '0.0000000000' })).toEqual({});
  });

  it('is split in the same way as a credit', () => {
    expect(shares({ type: 'even', team_ids: ['team_a', 'team_b', 'team_c'] }, {}, -HUNDRED)).toEqual({
      team_a: '-33.333333333333334',
      team_b: '-33.333333333333333',
      team_c: '-33.333333333333333',
    });
  });
});
