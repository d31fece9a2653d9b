import { Container } from '@mantine/core';
import type { ReactNode } from 'react';
import { PageLink } from '../shared/page-link.tsx';
import { PageTitle } from '../shared/page-title.tsx';
import { Empty } from '../shared/states.tsx';

/** The page for a path that no page has. */
export const NotFound = (): ReactNode => (
  <Container component="main" size="xs" py="md">
    <PageTitle title="No such page" />
    <Empty action={<PageLink to="/">Go to the overview</PageLink>}>
      Nothing is at this address. It may have been mistyped, or what it showed was deleted.
    </Empty>
  </Container>
);
