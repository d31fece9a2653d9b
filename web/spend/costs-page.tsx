import type { ReactNode } from 'react';
import { PageTitle } from '../shared/page-title.tsx';

export const CostsPage = (): ReactNode => <PageTitle title="Costs" />;
