import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** A button that leads to the form that connects a source. */
export const NewSource = (): ReactNode => (
  <Button size="sm" renderRoot={(props) => <Link {...props} to="/sources/new" />}>
    Connect a source
  </Button>
);
