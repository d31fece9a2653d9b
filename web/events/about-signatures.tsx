import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';

/** What the secret of a webhook is for: how its endpoint checks signatures. */
export const AboutSignatures = (): ReactNode => (
  <>
    Deliveries are signed as{' '}
    <Anchor
      href="https://www.standardwebhooks.com"
      target="_blank"
      rel="noreferrer"
      inherit
      underline="always"
    >
      Standard Webhooks
    </Anchor>{' '}
    specifies. Your endpoint verifies them with this secret, the raw body, and the headers webhook-id,
    webhook-timestamp and webhook-signature. That project has libraries for many languages.
  </>
);
