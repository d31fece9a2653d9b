import { Grid, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { OrganisationRules } from './organisation-rules.tsx';
import { Plan } from './plan.tsx';
import { Quota } from './quota.tsx';

/** The organisation's name and rules, its calls of today, and what its plan includes. */
export const OrganisationTab = (): ReactNode => (
  <Grid gap="md">
    <Grid.Col span={{ base: 12, md: 6 }}>
      <OrganisationRules />
    </Grid.Col>
    <Grid.Col span={{ base: 12, md: 6 }}>
      <Stack>
        <Plan />
        <Quota />
      </Stack>
    </Grid.Col>
  </Grid>
);
