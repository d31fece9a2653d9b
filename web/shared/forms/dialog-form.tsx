import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Form, type FormProps } from './form.tsx';

/** The form of a dialog, which can be left. */
export const DialogForm = ({
  onCancel,
  ...form
}: Omit<FormProps, 'before' | 'justify'> & { onCancel: () => void }): ReactNode => (
  <Form
    {...form}
    justify="flex-end"
    before={
      <Button variant="default" onClick={onCancel}>
        Cancel
      </Button>
    }
  />
);
