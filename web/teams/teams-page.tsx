import type { ReactNode } from 'react';
import { PageTitle } from '../shared/page-title.tsx';

export const TeamsPage = (): ReactNode => <PageTitle title="Teams" />;
