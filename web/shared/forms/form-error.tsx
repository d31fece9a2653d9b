import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { messageOf } from '../../http/api-error.ts';

/** Why the API refused what a form sent, in its own words. Shows nothing without an error. */
export const FormError = ({ error }: { error: unknown }): ReactNode =>
  error !== null && (
    <Alert color="red" role="alert">
      {messageOf(error)}
    </Alert>
  );
