import {
  ActionIcon,
  AppShell,
  Burger,
  Button,
  Group,
  NavLink,
  ScrollArea,
  Stack,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconBuildingBank,
  IconChartBar,
  IconDatabaseImport,
  IconLayoutDashboard,
  IconLogout,
  IconMoon,
  IconSettings,
  IconSun,
  IconTargetArrow,
  IconUsersGroup,
} from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useRouter, type LinkProps } from '@tanstack/react-router';
import { useEffect, type ReactNode } from 'react';
import { api, dataOf } from '../http/api.ts';
import { forgetSession, SessionContext, sessionQuery, type Session } from '../http/session.ts';
import { Dimmed } from '../shared/dimmed.tsx';

const PAGES: readonly { to: LinkProps['to']; label: string; icon: typeof IconSun; exact?: true }[] = [
  { to: '/', label: 'Overview', icon: IconLayoutDashboard, exact: true },
  { to: '/business-metrics', label: 'Metrics', icon: IconTargetArrow },
  { to: '/costs', label: 'Costs', icon: IconChartBar },
  { to: '/teams', label: 'Teams', icon: IconUsersGroup },
  { to: '/sources', label: 'Sources', icon: IconDatabaseImport },
  { to: '/settings', label: 'Settings', icon: IconSettings },
];

/** The frame of every page of a session: navigation, organisation, sign-out. Without a session it goes to the sign-in. */
export function Shell(): ReactNode {
  const { data: session } = useQuery(sessionQuery);
  if (session === null || session === undefined) return <ToSignIn />;
  return (
    <SessionContext value={session}>
      <SignedIn session={session} />
    </SessionContext>
  );
}

/** Asks the router again, which leads pages without a session to the sign-in (router.tsx). */
function ToSignIn(): ReactNode {
  const router = useRouter();
  useEffect(() => {
    void router.invalidate();
  }, [router]);
  return null;
}

function SignedIn({ session: { organisation, key } }: { session: Session }): ReactNode {
  const [opened, { toggle, close }] = useDisclosure();
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 208, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding="md"
    >
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={opened ? 'Close the navigation' : 'Open the navigation'}
            />
            <IconBuildingBank size={20} aria-hidden />
            <Text fw={600} truncate>
              {organisation.name}
            </Text>
          </Group>
          <ColourScheme />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages">
        <AppShell.Section grow component={ScrollArea}>
          {PAGES.map(({ to, label, icon: Icon, exact = false }) => (
            <NavLink
              key={label}
              label={label}
              leftSection={<Icon size={18} aria-hidden />}
              renderRoot={(props) => (
                <Link
                  {...props}
                  to={to}
                  activeOptions={{ exact, includeSearch: false }}
                  activeProps={{ 'data-active': true }}
                />
              )}
              onClick={close}
            />
          ))}
        </AppShell.Section>
        <AppShell.Section>
          <Stack gap="xs" p="xs">
            <Dimmed size="xs">
              {key.name}, {key.permission}
            </Dimmed>
            <SignOut />
          </Stack>
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main>
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}

function SignOut(): ReactNode {
  const queryClient = useQueryClient();
  const signOut = useMutation({
    mutationFn: () => dataOf(api.DELETE('/api/v1/session')),
    meta: { changes: [] },
    onSuccess: () => {
      forgetSession(queryClient);
    },
  });
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconLogout size={16} aria-hidden />}
      loading={signOut.isPending}
      onClick={() => {
        signOut.mutate();
      }}
    >
      Sign out
    </Button>
  );
}

function ColourScheme(): ReactNode {
  const { toggleColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light', { getInitialValueInEffect: false }) === 'dark';
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={isDark ? 'Use light colours' : 'Use dark colours'}
      onClick={toggleColorScheme}
    >
      {isDark ? <IconSun size={18} aria-hidden /> : <IconMoon size={18} aria-hidden />}
    </ActionIcon>
  );
}
