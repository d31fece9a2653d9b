import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../http/session.ts';
import { PageTitle } from '../shared/page-title.tsx';
import { MonthBills } from '../teams/bills/month-bills.tsx';
import { PlanGate } from '../teams/plan-gate.tsx';
import { SharedCosts } from '../teams/shared-costs/shared-costs.tsx';
import { NewTeam } from '../teams/team-names.tsx';
import { PageTabs } from './page-tabs.tsx';

const route = getRouteApi('/signed-in/teams');

/** What teams cost, and the costs that they share. */
export function TeamsPage(): ReactNode {
  const { may, has } = useSession();
  const { show } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <PageTitle title="Teams" about="What each team costs: what it owns, and its parts of shared costs.">
        {has('unit_economics') && may('admin') ? <NewTeam /> : undefined}
      </PageTitle>
      <PlanGate>
        <PageTabs
          label="Teams"
          show={show}
          tabs={{
            bills: { title: 'Bills', content: <MonthBills /> },
            'shared-costs': { title: 'Shared costs', content: <SharedCosts /> },
          }}
          onShow={(name) => {
            void navigate({ search: (before) => ({ ...before, show: name }) });
          }}
        />
      </PlanGate>
    </>
  );
}
