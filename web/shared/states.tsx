import { Alert, Button, Center, Skeleton, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { messageOf } from '../http/api-error.ts';

/** Grey lines while an answer is under way, as high as what comes, so that nothing moves. */
export const Loading = ({ height = 200 }: { height?: number }): ReactNode => (
  <Skeleton height={height} role="status" aria-label="Loading" />
);

/** What went wrong, and a button to ask again if that can help. */
export const Failure = ({ error, retry }: { error: unknown; retry?: () => unknown }): ReactNode => (
  <Alert color="red" role="alert" title="This could not be loaded">
    <Stack gap="xs" align="flex-start">
      <Text size="sm">{messageOf(error)}</Text>
      {retry !== undefined && (
        <Button size="xs" variant="default" onClick={() => void retry()}>
          Try again
        </Button>
      )}
    </Stack>
  </Alert>
);

/** What to do where there is nothing yet. */
export const Empty = ({ children, action }: { children: ReactNode; action?: ReactNode }): ReactNode => (
  <Center p="xl">
    <Stack align="center" gap="sm" maw={480}>
      <Text c="dimmed" ta="center">
        {children}
      </Text>
      {action}
    </Stack>
  </Center>
);

/** Shows the answer of a query, or that it is loading, or why it failed. A known answer stays while it is asked again. */
export function Answer<Data>({
  query,
  height,
  children,
}: {
  query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>;
  height?: number;
  children: (data: Data) => ReactNode;
}): ReactNode {
  if (query.data !== undefined) return children(query.data);
  if (query.error !== null) return <Failure error={query.error} retry={query.refetch} />;
  return <Loading height={height} />;
}
