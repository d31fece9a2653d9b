import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** A button that leads to the form of a new metric. */
export const NewMetric = (): ReactNode => (
  <Button size="xs" renderRoot={(props) => <Link {...props} to="/business-metrics/new" />}>
    New metric
  </Button>
);
