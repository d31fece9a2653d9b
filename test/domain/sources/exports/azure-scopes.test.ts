import { expect, it } from 'vitest';
import { canBeWithin } from '../../../../domain/sources/exports/azure-scopes.ts';

const BILLING_ACCOUNT = '/providers/Microsoft.Billing/billingAccounts/77';

it.each([
  ['/subscriptions/s-1', BILLING_ACCOUNT],
  ['/subscriptions/s-1/resourceGroups/web', BILLING_ACCOUNT],
  ['/subscriptions/S-1/resourceGroups/web', '/subscriptions/s-1/'],
  [`${BILLING_ACCOUNT}/billingProfiles/p`, BILLING_ACCOUNT],
])('an Azure scope can be within another: %s in %s', (inner, outer) => {
  expect(canBeWithin(inner, outer)).toBe(true);
  expect(canBeWithin(outer, inner)).toBe(false);
});

it.each([
  ['/subscriptions/s-1', '/subscriptions/s-1'],
  ['/subscriptions/s-12', '/subscriptions/s-1'],
  [BILLING_ACCOUNT, '/providers/Microsoft.Billing/billingAccounts/7'],
  ['/subscriptions/s-1', null],
  [null, BILLING_ACCOUNT],
])('an Azure scope is not within another: %s in %s', (inner, outer) => {
  expect(canBeWithin(inner, outer)).toBe(false);
});
