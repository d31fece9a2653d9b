import { Anchor, Button, Center, Paper, PasswordInput, Stack, Title } from '@mantine/core';
import { useDocumentTitle, useInputState } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, dataOf } from '../http/api.ts';
import { sessionQuery } from '../http/session.ts';
import { FormError } from '../shared/forms/form-error.tsx';
import { Dimmed } from '../shared/dimmed.tsx';

const route = getRouteApi('/sign-in');

/** Makes a session from an API key, and goes on to the page that was asked for. */
export function SignInPage(): ReactNode {
  useDocumentTitle('Sign in · Cost Analytics');
  const { next } = route.useSearch();
  const { history } = useRouter();
  const queryClient = useQueryClient();
  const [key, setKey] = useInputState('');
  const signIn = useMutation({
    mutationFn: () => dataOf(api.POST('/api/v1/session', { body: { key: key.trim() } })),
    // Nothing that another key has seen stays.
    onSuccess: (session) => {
      queryClient.clear();
      queryClient.setQueryData(sessionQuery.queryKey, session);
      history.push(next);
    },
    meta: { changes: [] },
  });
  return (
    <Center component="main" mih="100dvh" p="md">
      <Paper withBorder p="xl" w="100%" maw={420}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            signIn.mutate();
          }}
        >
          <Stack>
            <Title order={1}>Cost Analytics</Title>
            <Dimmed>
              Sign in with an API key of your organisation. An admin makes one under Settings. The first key
              of an organisation comes from whoever runs the service.
            </Dimmed>
            <FormError error={signIn.error} />
            <PasswordInput
              label="API key"
              name="key"
              autoComplete="current-password"
              required
              withAsterisk={false}
              data-autofocus
              value={key}
              onChange={setKey}
            />
            <Button type="submit" loading={signIn.isPending}>
              Sign in
            </Button>
            <Dimmed>
              Programs use the{' '}
              <Anchor href="/docs" underline="always">
                API
              </Anchor>{' '}
              with the same key.
            </Dimmed>
          </Stack>
        </form>
      </Paper>
    </Center>
  );
}
