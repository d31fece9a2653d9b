import type { ReactNode } from 'react';
import { PageTitle } from '../shared/page-title.tsx';

export const MetricPage = (): ReactNode => <PageTitle title="Metric" />;
