import type { ReactNode } from 'react';
import { PageTitle } from '../shared/page-title.tsx';

export const NewMetricPage = (): ReactNode => <PageTitle title="New metric" />;
