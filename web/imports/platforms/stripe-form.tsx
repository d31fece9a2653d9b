import { PasswordInput } from '@mantine/core';
import type { PlatformForm } from './platform-form.ts';

/** Connects a metric with Stripe. */
export const STRIPE_FORM: PlatformForm<{ apiKey: string }> = {
  initial: () => ({ apiKey: '' }),
  bodyOf: ({ apiKey }) => ({ type: 'stripe', api_key: apiKey.trim() }),
  Inputs: ({ inputOf }) => (
    <PasswordInput
      label="Restricted key"
      description="A key of Stripe (rk_…) that may read balance transactions, and nothing else"
      autoComplete="off"
      required
      {...inputOf('apiKey')}
    />
  ),
};
