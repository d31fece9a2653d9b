import type { ReactNode } from 'react';

export const SharedCosts = (): ReactNode => null;
