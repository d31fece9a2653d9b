import { describe, expect, it } from 'vitest';
import {
  DAILY_CALLS,
  includes,
  planMessage,
  quotaMessage,
  TIERS,
} from '../../../domain/organisations/tiers.ts';

describe('tiers', () => {
  it('have the daily limits of the specification', () => {
    expect(DAILY_CALLS).toEqual({ starter: 100, professional: 1000, business: 10_000, enterprise: null });
    expect(TIERS).toEqual(['starter', 'professional', 'business', 'enterprise']);
  });

  it.each([
    ['starter', false],
    ['professional', true],
    ['business', true],
    ['enterprise', true],
  ] as const)('%s includes unit economics: %s', (tier, included) => {
    expect(includes(tier, 'unit_economics')).toBe(included);
  });

  it('name the plan that is needed and the current one', () => {
    expect(planMessage('starter', 'unit_economics')).toBe(
      'Unit economics needs the Professional plan or above; this organisation is on Starter',
    );
  });

  // The message reports that the daily limit is reached, and suggests an upgrade.
  it.each([
    ['starter', 100, 'Daily limit of 100 API calls on the Starter plan', 'Professional plan for 1,000 calls'],
    ['professional', 1000, 'Daily limit of 1,000 API calls', 'Business plan for 10,000 calls'],
    ['business', 10_000, 'Daily limit of 10,000 API calls', 'Enterprise plan for unlimited calls'],
  ] as const)('show %s its limit and the next plan', (tier, limit, reached, upgrade) => {
    const message = quotaMessage(tier, limit);
    expect(message).toContain(reached);
    expect(message).toContain('reached; it resets at midnight UTC');
    expect(message).toContain(`Upgrade to the ${upgrade}`);
  });

  it('suggest nothing above the largest plan', () => {
    expect(quotaMessage('enterprise', 5)).not.toContain('Upgrade');
  });
});
