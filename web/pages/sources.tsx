import type { ReactNode } from 'react';
import { useSession } from '../http/session.ts';
import { PageTitle } from '../shared/page-title.tsx';
import { NewSource } from '../sources/new-source.tsx';
import { SourcesCard } from '../sources/sources-card.tsx';

/** Where spend comes from. */
export function SourcesPage(): ReactNode {
  const { may } = useSession();
  return (
    <>
      <PageTitle title="Sources" about="Where spend comes from. The service reads each source daily.">
        {may('admin') && <NewSource />}
      </PageTitle>
      <SourcesCard />
    </>
  );
}
