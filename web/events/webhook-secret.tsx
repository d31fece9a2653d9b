import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { SecretOnce } from '../shared/forms/secret-once.tsx';

/** The secret of a webhook, shown once, with how its endpoint checks signatures. */
export const WebhookSecret = ({ secret, onStored }: { secret: string; onStored: () => void }): ReactNode => (
  <SecretOnce secret={secret} onStored={onStored}>
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
  </SecretOnce>
);
