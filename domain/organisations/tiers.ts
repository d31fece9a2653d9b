/** The plans, smallest first (docs/http.md#sign-in-with-a-key). */
export const TIERS = ['starter', 'professional', 'business', 'enterprise'] as const;
export type Tier = (typeof TIERS)[number];

/** API calls per UTC day and organisation; null is unlimited (docs/http.md#sign-in-with-a-key). */
export const DAILY_CALLS: Record<Tier, number | null> = {
  starter: 100,
  professional: 1_000,
  business: 10_000,
  enterprise: null,
};

/** Free calls of all browser sessions of a key, for each call of the daily limit (docs/http.md#browser-session). */
export const FREE_SESSION_CALLS = 10;

/** A feature that a route needs in the organisation's plan. */
export type Feature = 'unit_economics' | 'revenue';

const FIRST_TIER_WITH: Record<Feature, Tier> = { unit_economics: 'professional', revenue: 'business' };
const FEATURE_NEEDS: Record<Feature, string> = {
  unit_economics: 'Unit economics needs',
  revenue: 'Creating and changing revenue metrics needs',
};

const capitalised = (tier: Tier): string => tier.charAt(0).toUpperCase() + tier.slice(1);

/** Whether a tier includes a feature (docs/http.md#sign-in-with-a-key). */
export const includes = (tier: Tier, feature: Feature): boolean =>
  TIERS.indexOf(tier) >= TIERS.indexOf(FIRST_TIER_WITH[feature]);

/** Returns the message for a caller whose plan lacks the feature. */
export const planMessage = (tier: Tier, feature: Feature): string =>
  `${FEATURE_NEEDS[feature]} the ${capitalised(FIRST_TIER_WITH[feature])} plan or above; ` +
  `this organisation is on ${capitalised(tier)}`;

/** Returns the message for a caller over the daily limit (docs/http.md#sign-in-with-a-key). */
export function quotaMessage(tier: Tier, limit: number): string {
  const next = TIERS[TIERS.indexOf(tier) + 1];
  const more =
    next === undefined
      ? ''
      : ` Upgrade to the ${capitalised(next)} plan for ${DAILY_CALLS[next]?.toLocaleString('en-US') ?? 'unlimited'} calls per day.`;
  return (
    `Daily limit of ${limit.toLocaleString('en-US')} API calls on the ${capitalised(tier)} plan reached; ` +
    `it resets at midnight UTC.${more}`
  );
}
