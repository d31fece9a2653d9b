import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './app/app.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './app/query-client.ts';
import { cssVariables, theme } from './app/theme.ts';
import { sessionQuery } from './http/session.ts';
import { router } from './pages/router.tsx';

const root = document.querySelector('#root');
if (root === null) throw new Error('the page has no #root');

/** The nonce with which the component library, and what it uses for dialogs, may add styles (api/dashboard). */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
setNonce(nonce);

const [routes] = router.getMatchedRoutes(router.latestLocation.pathname);
// Asks who is signed in before the scripts of the page take all connections of the browser. The router waits for the answer.
if (routes.some(({ id }) => id === '/signed-in')) queryClient.query(sessionQuery).catch(() => undefined);
for (const route of routes) void router.loadRouteChunk(route);

createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
      <Notifications position="bottom-right" />
    </MantineProvider>
  </StrictMode>,
);
