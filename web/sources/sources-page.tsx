import type { ReactNode } from 'react';
import { PageTitle } from '../shared/page-title.tsx';

export const SourcesPage = (): ReactNode => <PageTitle title="Sources" />;
