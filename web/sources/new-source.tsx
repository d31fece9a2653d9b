import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** A button that leads to the form that connects a source. */
export const NewSource = (): ReactNode => (
  <Button size="sm" renderRoot={(props) => <Link {...props} to="/sources/new" />}>
    Connect a source
  </Button>
);

/** A button that leads to the form for files of this computer. */
export const SendFile = (): ReactNode => (
  <Button
    size="sm"
    variant="default"
    renderRoot={(props) => <Link {...props} to="/sources/new" search={{ from: 'file' }} />}
  >
    Send a file
  </Button>
);
