import { Anchor, Container } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PageTitle } from '../shared/page-title.tsx';
import { Empty } from '../shared/states.tsx';

/** The page for a path that no page has. */
export const NotFound = (): ReactNode => (
  <Container component="main" size="xs" py="md">
    <PageTitle title="No such page" />
    <Empty action={<Anchor renderRoot={(props) => <Link to="/" {...props} />}>Go to the overview</Anchor>}>
      Nothing is at this address. It may have been mistyped, or what it showed was deleted.
    </Empty>
  </Container>
);
