/** One line of a FOCUS export. Missing columns get usual values. */
export type FocusLine = Partial<Record<string, string>>;

const USUAL: Record<string, string> = {
  BilledCost: '0',
  BillingAccountId: '1000',
  BillingCurrency: 'USD',
  BillingPeriodStart: '2026-01-01T00:00:00Z',
  BillingPeriodEnd: '2026-02-01T00:00:00Z',
  ChargeCategory: 'Usage',
  ChargePeriodStart: '2026-01-01T00:00:00Z',
  ChargePeriodEnd: '2026-01-02T00:00:00Z',
  EffectiveCost: '0',
  ProviderName: 'AWS',
  ServiceCategory: 'Databases',
  ServiceName: 'Amazon RDS',
  SubAccountId: '1111',
  SubAccountName: 'Shop',
  ResourceId: 'NULL',
  Tags: 'NULL',
};

const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Returns a FOCUS export as CSV text. `columns` sets the header; `null` stands for the usual columns and those of the lines. */
export function focusCsv(lines: readonly FocusLine[], columns: readonly string[] | null = null): string {
  const header = columns ?? [
    ...new Set([...Object.keys(USUAL), ...lines.flatMap((line) => Object.keys(line))]),
  ];
  const rows = lines.map((line) =>
    header.map((column) => quoted(line[column] ?? USUAL[column] ?? '')).join(','),
  );
  return `${[header.join(','), ...rows].join('\n')}\n`;
}

/** Returns a line within one UTC day, with the same cost in both columns. */
export const dayLine = (day: string, cost: string, more: FocusLine = {}): FocusLine => ({
  ChargePeriodStart: `${day}T00:00:00Z`,
  ChargePeriodEnd: `${day}T01:00:00Z`,
  BillingPeriodStart: `${day.slice(0, 7)}-01T00:00:00Z`,
  EffectiveCost: cost,
  BilledCost: cost,
  ...more,
});
