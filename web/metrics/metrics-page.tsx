import type { ReactNode } from 'react';
import { PageTitle } from '../shared/page-title.tsx';

export const MetricsPage = (): ReactNode => <PageTitle title="Metrics" />;
