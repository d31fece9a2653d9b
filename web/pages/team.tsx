import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, dataOf } from '../http/api.ts';
import { useSession } from '../http/session.ts';
import { PageLink } from '../shared/page-link.tsx';
import { PageTitle } from '../shared/page-title.tsx';
import { Answer } from '../shared/states.tsx';
import { TeamMonths } from '../teams/bills/team-months.tsx';
import { DeleteButton } from '../teams/delete-button.tsx';
import { Ownership } from '../teams/ownership.tsx';
import { PlanGate } from '../teams/plan-gate.tsx';
import { RenameTeam } from '../teams/team-names.tsx';
import { PageTabs } from './page-tabs.tsx';
import { teamQuery, type Team } from '../teams/team-queries.ts';

const route = getRouteApi('/signed-in/teams/$id');

/** A team: its bills of the last twelve months, and what it owns. */
export function TeamPage(): ReactNode {
  const { has } = useSession();
  return has('unit_economics') ? (
    <TeamOfPlan />
  ) : (
    <>
      <PageTitle title="Team" />
      <PlanGate>{null}</PlanGate>
    </>
  );
}

function TeamOfPlan(): ReactNode {
  const { id } = route.useParams();
  const team = useQuery(teamQuery(id));
  return (
    <>
      {team.data === undefined && <PageTitle title="Team" />}
      <Answer query={team} height={480}>
        {(known) => <KnownTeam team={known} />}
      </Answer>
    </>
  );
}

function KnownTeam({ team }: { team: Team }): ReactNode {
  const { may } = useSession();
  const { show } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <PageTitle title={team.name} about={<PageLink to="/teams">All teams</PageLink>}>
        {may('admin') ? (
          <>
            <RenameTeam team={team} />
            <DeleteTeam team={team} />
          </>
        ) : undefined}
      </PageTitle>
      <PageTabs
        label={team.name}
        show={show}
        tabs={{
          bills: { title: 'Bills', content: <TeamMonths team={team} /> },
          ownership: { title: 'Ownership', content: <Ownership key={team.id} team={team} /> },
        }}
        onShow={(name) => {
          void navigate({ search: (before) => ({ ...before, show: name }) });
        }}
      />
    </>
  );
}

function DeleteTeam({ team: { id, name } }: { team: Team }): ReactNode {
  const navigate = useNavigate();
  return (
    <DeleteButton
      name={name}
      what="team"
      send={async (signal) => {
        await dataOf(api.DELETE('/api/v1/teams/{id}', { params: { path: { id } }, signal }));
        // Leaves before the answers go stale, so that nothing asks for the team again.
        await navigate({ to: '/teams', search: { show: 'bills' }, ignoreBlocker: true });
      }}
    >
      Nobody can read its bills any more, and nobody owns its spend: it becomes unallocated. A team cannot be
      deleted while a metric counts its bill or a shared cost is split over it. Change or delete these first.
    </DeleteButton>
  );
}
