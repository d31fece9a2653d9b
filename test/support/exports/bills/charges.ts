import type { FocusLine } from '../focus-export.ts';

/** A charge of a cloud, as the tests know it by hand. Each format writes it in its own way. */
export interface Charge {
  /** What kind of line it is, in the cloud's words. */
  line: string;
  start: string;
  end: string;
  /** The first day of its billing period. */
  period: string;
  account: string;
  accountName: string;
  service: string;
  resource: string | null;
  group?: string;
  tags: Readonly<Record<string, string>>;
  category: 'Usage' | 'Purchase' | 'Tax' | 'Credit';
  commitment?: string;
  /** What it costs, amortised and as invoiced. */
  effective: string;
  billed: string;
  /** Cells of the cloud's own format, by their columns. */
  native: Readonly<Record<string, string>>;
}

/** Returns a charge of an hour of a day. */
export const hourOf = (day: string, hour = 10): Pick<Charge, 'start' | 'end' | 'period'> => ({
  start: `${day}T${String(hour).padStart(2, '0')}:00:00Z`,
  end: `${day}T${String(hour + 1).padStart(2, '0')}:00:00Z`,
  period: `${day.slice(0, 7)}-01`,
});

/** Returns the line of a FOCUS export for a charge. */
export const focusLine = (provider: string, charge: Charge): FocusLine => ({
  ChargePeriodStart: charge.start,
  ChargePeriodEnd: charge.end,
  BillingPeriodStart: `${charge.period}T00:00:00Z`,
  ProviderName: provider,
  SubAccountId: charge.account,
  SubAccountName: charge.accountName,
  ServiceName: charge.service,
  ResourceId: charge.resource ?? 'NULL',
  x_ResourceGroupName: charge.group ?? 'NULL',
  Tags: JSON.stringify(charge.tags),
  ChargeCategory: charge.category,
  CommitmentDiscountId: charge.commitment ?? 'NULL',
  EffectiveCost: charge.effective,
  BilledCost: charge.billed,
});
