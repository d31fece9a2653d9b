import type { ComponentProps, ReactNode } from 'react';
import { Money, Quantity } from '../amounts.tsx';
import { NumberCell } from './data-table.tsx';

export const MoneyCell = (amount: ComponentProps<typeof Money>): ReactNode => (
  <NumberCell>
    <Money {...amount} />
  </NumberCell>
);

export const QuantityCell = (count: ComponentProps<typeof Quantity>): ReactNode => (
  <NumberCell>
    <Quantity {...count} />
  </NumberCell>
);
