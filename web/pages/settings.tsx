import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Webhooks } from '../events/webhooks.tsx';
import { AdminsOnly } from '../organisations/admins-only.tsx';
import { AuditLog } from '../organisations/audit/audit-log.tsx';
import { ApiKeys } from '../organisations/keys/api-keys.tsx';
import { OrganisationTab } from '../organisations/organisation-tab.tsx';
import type { SettingsSearch } from '../organisations/settings-search.ts';
import { PageTitle } from '../shared/page-title.tsx';
import { PageTabs } from './page-tabs.tsx';

const route = getRouteApi('/signed-in/settings');

const forAdmins = (what: string, content: ReactNode): ReactNode => (
  <AdminsOnly what={what}>{content}</AdminsOnly>
);

const TABS: Record<SettingsSearch['show'], { title: string; content: ReactNode }> = {
  keys: { title: 'API keys', content: forAdmins('API keys', <ApiKeys />) },
  webhooks: { title: 'Webhooks', content: forAdmins('Webhooks', <Webhooks />) },
  organisation: { title: 'Organisation', content: <OrganisationTab /> },
  'audit-log': { title: 'Audit log', content: forAdmins('Records of the audit log', <AuditLog />) },
};

/** Keys, webhooks, the organisation and its audit log, one tab each. */
export function SettingsPage(): ReactNode {
  const { show } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <PageTitle title="Settings" />
      <PageTabs
        label="Settings"
        show={show}
        tabs={TABS}
        onShow={(name) => {
          void navigate({ search: { show: name } });
        }}
      />
    </>
  );
}
