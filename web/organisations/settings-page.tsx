import type { ReactNode } from 'react';
import { PageTitle } from '../shared/page-title.tsx';

export const SettingsPage = (): ReactNode => <PageTitle title="Settings" />;
