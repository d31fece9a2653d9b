import type { ReactNode } from 'react';
import { PageTitle } from '../shared/page-title.tsx';

export const TeamPage = (): ReactNode => <PageTitle title="Team" />;
