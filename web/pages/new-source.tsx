import { Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../http/session.ts';
import { Card } from '../shared/card.tsx';
import { PageLink } from '../shared/page-link.tsx';
import { PageTitle } from '../shared/page-title.tsx';
import { Empty } from '../shared/states.tsx';
import { ConnectForm } from '../sources/connect/connect-form.tsx';
import { PlaceChoice } from '../sources/connect/place-choice.tsx';
import { wayOf } from '../sources/connect/ways.ts';

const route = getRouteApi('/signed-in/sources/new');

/** Connects a source: where the spend is, how it comes from there, and a look before it is stored. */
export function NewSourcePage(): ReactNode {
  const { may } = useSession();
  return (
    <>
      <PageTitle title="Connect a source" about={<PageLink to="/sources">All sources</PageLink>} />
      {may('admin') ? <Connect /> : <Empty>Only keys with the permission admin connect sources.</Empty>}
    </>
  );
}

function Connect(): ReactNode {
  const { from, by } = route.useSearch();
  const navigate = route.useNavigate();
  const chosen = from === undefined ? null : wayOf(from, by);
  return (
    <Stack>
      <Card title="Where is the spend?">
        <PlaceChoice
          value={from}
          onChange={(place) => {
            void navigate({ search: { from: place }, replace: true });
          }}
        />
      </Card>
      {from !== undefined && chosen !== null && (
        <ConnectForm
          key={from}
          place={from}
          wayName={chosen.name}
          way={chosen.way}
          choose={(name) => {
            void navigate({ search: { from, by: name }, replace: true });
          }}
        />
      )}
    </Stack>
  );
}
