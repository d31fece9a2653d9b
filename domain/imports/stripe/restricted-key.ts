/** A key of Stripe with chosen permissions. Stripe's keys have letters and digits after the prefix. */
const RESTRICTED_KEY = /^rk_(?:live|test)_[A-Za-z0-9_]{1,240}$/;

/** What a person does to get a key that the import accepts. */
export const CREATE_RESTRICTED_KEY =
  'in Stripe, under Developers, API keys, create a restricted key with Read on balance transactions';

/**
 * Returns why a key must not be used, or null. An import accepts only restricted keys (docs/design.md#secrets). The message
 * repeats no part of the key, because keys of other kinds are credentials too.
 */
export const restrictedKeyProblem = (key: string): string | null =>
  RESTRICTED_KEY.test(key)
    ? null
    : `expected a restricted key that begins with rk_live_ or rk_test_, followed by letters and digits: ${CREATE_RESTRICTED_KEY}`;
