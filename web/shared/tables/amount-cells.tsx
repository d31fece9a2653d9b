import type { ComponentProps, ReactNode } from 'react';
import { Money, Quantity } from '../amounts.tsx';
import { NumberCell } from './data-table.tsx';

/** A cell with money. */
export const MoneyCell = (amount: ComponentProps<typeof Money>): ReactNode => (
  <NumberCell>
    <Money {...amount} />
  </NumberCell>
);

/** A cell with a count. */
export const QuantityCell = (count: ComponentProps<typeof Quantity>): ReactNode => (
  <NumberCell>
    <Quantity {...count} />
  </NumberCell>
);
