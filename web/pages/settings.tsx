import { Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Webhooks } from '../events/webhooks.tsx';
import { PageTitle } from '../shared/page-title.tsx';
import { AdminsOnly } from '../organisations/admins-only.tsx';
import { AuditLog } from '../organisations/audit/audit-log.tsx';
import { ApiKeys } from '../organisations/keys/api-keys.tsx';
import { OrganisationTab } from '../organisations/organisation-tab.tsx';
import type { SettingsSearch } from '../organisations/settings-search.ts';

const route = getRouteApi('/signed-in/settings');

const TABS: Record<SettingsSearch['show'], { label: string; content: ReactNode }> = {
  keys: {
    label: 'API keys',
    content: (
      <AdminsOnly what="API keys">
        <ApiKeys />
      </AdminsOnly>
    ),
  },
  webhooks: {
    label: 'Webhooks',
    content: (
      <AdminsOnly what="Webhooks">
        <Webhooks />
      </AdminsOnly>
    ),
  },
  organisation: { label: 'Organisation', content: <OrganisationTab /> },
  'audit-log': {
    label: 'Audit log',
    content: (
      <AdminsOnly what="Records of the audit log">
        <AuditLog />
      </AdminsOnly>
    ),
  },
};

const NAMES = Object.keys(TABS) as SettingsSearch['show'][];

/** Keys, webhooks, the organisation and its audit log, one tab each. */
export function SettingsPage(): ReactNode {
  const { show } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <PageTitle title="Settings" />
      <Tabs
        value={show}
        keepMounted={false}
        onChange={(tab) => {
          void navigate({ search: { show: NAMES.find((name) => name === tab) ?? show } });
        }}
      >
        <Tabs.List aria-label="Settings" mb="md">
          {NAMES.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {TABS[name].label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {NAMES.map((name) => (
          <Tabs.Panel key={name} value={name}>
            {TABS[name].content}
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}
