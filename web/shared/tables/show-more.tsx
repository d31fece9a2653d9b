import { Button, Center } from '@mantine/core';
import type { ReactNode } from 'react';

/** What a list that is read in pages offers (`useInfiniteQuery`). */
export interface Paged {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** Reads the next page of a long list, as long as there is one. */
export const ShowMore = ({ of }: { of: Paged }): ReactNode =>
  of.hasNextPage && (
    <Center mt="sm">
      <Button variant="default" loading={of.isFetchingNextPage} onClick={() => void of.fetchNextPage()}>
        Show more
      </Button>
    </Center>
  );
