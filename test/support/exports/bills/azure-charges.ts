import type { Charge } from './charges.ts';

const RESERVATION = '/providers/Microsoft.Capacity/reservationOrders/ro-1/reservations/r-1';
const PLAN = '/providers/Microsoft.BillingBenefits/savingsPlanOrders/so-1/savingsPlans/s-1';

type Given = Pick<Charge, 'line' | 'effective' | 'billed'> & Partial<Charge> & { day?: string };

const CATEGORY: Readonly<Record<string, Charge['category']>> = { Purchase: 'Purchase', Refund: 'Credit' };

/** Returns a charge of Azure on 10 January. `native` is what both sets have. */
const charge = ({ line, day = '2026-01-10', native = {}, ...given }: Given): Charge => ({
  line,
  start: `${day}T00:00:00Z`,
  end: `${new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`,
  period: `${day.slice(0, 7)}-01`,
  account: `sub ${line}`,
  accountName: `Subscription ${line}`,
  service: 'Virtual Machines',
  resource: null,
  group: 'rg-web',
  tags: { team: line.toLowerCase() },
  category: CATEGORY[line] ?? 'Usage',
  ...given,
  native,
});

const machine = (name: string): string =>
  `/subscriptions/sub-1/resourceGroups/rg-web/providers/Microsoft.Compute/virtualMachines/${name}`;

/**
 * The charges of an organisation with every type of charge. The reservation covers 5 and leaves 1.25 unused, and the plan covers
 * 2.5. Both were bought this month.
 */
export const AZURE_CHARGES: readonly Charge[] = [
  charge({ line: 'Usage', effective: '12.345678901', billed: '12.345678901', resource: machine('vm-1') }),
  charge({
    line: 'Usage',
    effective: '0.5',
    billed: '0.5',
    day: '2026-01-31',
    service: 'Storage',
    tags: { 'cost center': 'a "b", c', team: 'Search' },
  }),
  charge({ line: 'Usage', effective: '-0.000000001', billed: '-0.000000001', day: '2026-01-11', tags: {} }),
  charge({
    line: 'Usage',
    account: 'reserved',
    effective: '5',
    billed: '0',
    commitment: RESERVATION,
    resource: machine('vm-2'),
    native: { ReservationId: RESERVATION, PricingModel: 'Reservation' },
  }),
  charge({
    line: 'Usage',
    account: 'planned',
    effective: '2.5',
    billed: '0',
    commitment: PLAN,
    native: { BenefitId: PLAN, PricingModel: 'SavingsPlan' },
  }),
  charge({
    line: 'UnusedReservation',
    effective: '1.25',
    billed: '0',
    commitment: RESERVATION,
    tags: {},
    native: { ReservationId: RESERVATION },
  }),
  charge({
    line: 'Purchase',
    account: 'reserved',
    effective: '0',
    billed: '190',
    commitment: RESERVATION,
    tags: {},
    native: { ReservationId: RESERVATION, PricingModel: 'Reservation' },
  }),
  charge({
    line: 'Purchase',
    account: 'planned',
    effective: '0',
    billed: '75',
    tags: {},
    native: { BenefitId: PLAN, PricingModel: 'SavingsPlan' },
  }),
  charge({
    line: 'Refund',
    account: 'planned',
    effective: '0',
    billed: '-5',
    tags: {},
    native: { BenefitId: PLAN, PricingModel: 'SavingsPlan' },
  }),
  charge({
    line: 'Purchase',
    account: 'marketplace',
    effective: '99',
    billed: '99',
    service: 'SaaS',
    tags: {},
  }),
  charge({
    line: 'Refund',
    account: 'marketplace',
    effective: '-9',
    billed: '-9',
    service: 'SaaS',
    tags: {},
    day: '2026-01-12',
  }),
];

/** What the charges cost: 12.345678901 + 0.5 − 0.000000001 + 5 + 2.5 + 1.25 + 99 − 9, and 12.8456789 + 190 + 75 − 5 + 99 − 9. */
export const AZURE_TOTALS = { EffectiveCost: '111.5956789', BilledCost: '362.8456789' } as const;
