import type { ReactNode } from 'react';
import { PageTitle } from '../shared/page-title.tsx';

export const SourcePage = (): ReactNode => <PageTitle title="Source" />;
