import { Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../http/session.ts';
import { PageLink } from '../shared/page-link.tsx';
import { PageTitle } from '../shared/page-title.tsx';
import { Answer } from '../shared/states.tsx';
import { AboutSource } from '../sources/about-source.tsx';
import { DeleteSource, EditSource } from '../sources/edit-source.tsx';
import { RunNow } from '../sources/runs/run-now.tsx';
import { RunsCard } from '../sources/runs/runs-card.tsx';
import { sourceQuery, type CostSource } from '../sources/sources-queries.ts';
import { UPLOAD } from '../../domain/sources/uploads/name-rule.ts';
import { NextStep } from '../overview/next-step.tsx';
import { FilesCard } from '../sources/files/files-card.tsx';
import { UnitsCard } from '../sources/units/units-card.tsx';

const route = getRouteApi('/signed-in/sources/$id');

/** A source: where it reads, how its last run went, and what all runs did. */
export function SourcePage(): ReactNode {
  const { id } = route.useParams();
  const query = useQuery(sourceQuery(id));
  return (
    <>
      <PageTitle title={query.data?.name ?? 'Source'} about={<PageLink to="/sources">All sources</PageLink>}>
        {query.data !== undefined && <Actions source={query.data} />}
      </PageTitle>
      <Answer query={query} height={260}>
        {(source) => (
          <Stack>
            <NextStep source={source} />
            <AboutSource source={source} />
            {source.location === UPLOAD && <FilesCard source={source} />}
            <UnitsCard source={source} />
            <RunsCard source={source} />
          </Stack>
        )}
      </Answer>
    </>
  );
}

function Actions({ source }: { source: CostSource }): ReactNode {
  const { may } = useSession();
  return (
    <Group gap="xs">
      {may('write') && <RunNow source={source} />}
      {may('admin') && <EditSource source={source} />}
      {may('admin') && <DeleteSource source={source} />}
    </Group>
  );
}
