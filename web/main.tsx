import './app/ask-for-session.ts';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './app/app.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Notices } from './app/notices.tsx';
import { queryClient } from './app/query-client.ts';
import { cssVariables, theme } from './app/theme.ts';
import { router } from './pages/router.tsx';

const root = document.querySelector('#root');
if (root === null) throw new Error('the page has no #root');

/** The nonce with which the component library, and what it uses for dialogs, may add styles (api/dashboard). */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
setNonce(nonce);

const [routes] = router.getMatchedRoutes(router.latestLocation.pathname);
for (const route of routes) void router.loadRouteChunk(route);
// The page asks for its data before the frame is drawn. The router shows what fails.
router.load().catch(() => undefined);

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
        <Notices />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
