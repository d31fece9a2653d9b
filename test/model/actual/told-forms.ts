import { addDays, type Day, type Month } from '../../../domain/shared/calendar.ts';
import type { NewCostSource } from '../../../warehouse/sources/cost-sources.ts';
import type { BillForm, BillLine } from '../organisation-story.ts';

/** A row of a file: its cells by column. */
export type Row = Readonly<Record<string, string>>;

/** How bills are written in one form. */
interface Form {
  source: Pick<NewCostSource, 'kind' | 'options'>;
  /** The first one has the day. */
  columns: readonly string[];
  /** The columns of the account, and of the amount. */
  account: string;
  amount: string;
  rowOf: (line: BillLine) => Row;
  /** Returns when a charge was: from an instant to another one, on the bill of a month; or any texts. */
  when: (start: string, end: string, period: string) => Row;
}

const PROVIDERS: Readonly<Record<string, string>> = { aws: 'AWS', azure: 'Microsoft', gcp: 'Google Cloud' };
const COSTS = { cost_column: 'EffectiveCost' } as const;

/** Each form of bills. */
export const BILL_FORMS: Readonly<Record<BillForm, Form>> = {
  focus: {
    source: { kind: 'focus', options: COSTS },
    columns: [
      ...['ChargePeriodStart', 'ChargePeriodEnd', 'BillingPeriodStart', 'BillingCurrency', 'ChargeCategory'],
      ...['EffectiveCost', 'ProviderName', 'SubAccountId', 'ServiceName', 'x_ResourceGroupName', 'Tags'],
      ...['ResourceId', 'ResourceName', 'AvailabilityZone'],
    ],
    account: 'SubAccountId',
    amount: 'EffectiveCost',
    rowOf: (line) => ({
      BillingCurrency: 'USD',
      ChargeCategory: 'Usage',
      EffectiveCost: line.cost,
      ProviderName: PROVIDERS[line.cloud] ?? '',
      SubAccountId: line.account,
      ServiceName: line.service ?? '',
      x_ResourceGroupName: line.resource_group ?? '',
      Tags: JSON.stringify(line.tags),
      ResourceId: line.resource?.text ?? '',
      ResourceName: line.resource?.called?.name ?? '',
      AvailabilityZone: line.resource?.called?.zone ?? '',
    }),
    when: (start, end, period) => ({
      ChargePeriodStart: start,
      ChargePeriodEnd: end,
      BillingPeriodStart: period,
    }),
  },
  aws_cur: {
    source: { kind: 'aws_cur', options: COSTS },
    columns: [
      ...['line_item_usage_start_date', 'line_item_usage_end_date', 'bill_billing_period_start_date'],
      ...['line_item_currency_code', 'line_item_line_item_type', 'line_item_unblended_cost'],
      ...['line_item_usage_account_id', 'product_product_name', 'line_item_resource_id', 'resource_tags'],
    ],
    account: 'line_item_usage_account_id',
    amount: 'line_item_unblended_cost',
    rowOf: (line) => ({
      line_item_currency_code: 'USD',
      line_item_line_item_type: 'Usage',
      line_item_unblended_cost: line.cost,
      line_item_usage_account_id: line.account,
      product_product_name: line.service ?? '',
      line_item_resource_id: line.resource?.text ?? '',
      resource_tags: JSON.stringify(
        Object.fromEntries(Object.entries(line.tags).map(([key, value]) => [`user_${key}`, value])),
      ),
    }),
    when: (start, end, period) => ({
      line_item_usage_start_date: start,
      line_item_usage_end_date: end,
      bill_billing_period_start_date: period,
    }),
  },
  azure_cost: {
    source: { kind: 'azure_cost', options: COSTS },
    columns: [
      ...['Date', 'BillingPeriodStartDate', 'BillingCurrencyCode', 'ChargeType', 'CostInBillingCurrency'],
      ...['SubscriptionId', 'MeterCategory', 'ResourceGroup', 'ResourceId', 'Tags'],
    ],
    account: 'SubscriptionId',
    amount: 'CostInBillingCurrency',
    rowOf: (line) => ({
      BillingCurrencyCode: 'USD',
      ChargeType: 'Usage',
      CostInBillingCurrency: line.cost,
      SubscriptionId: line.account,
      MeterCategory: line.service ?? '',
      ResourceGroup: line.resource_group ?? '',
      ResourceId: line.resource?.text ?? '',
      Tags: JSON.stringify(line.tags).slice(1, -1),
    }),
    when: (start, _, period) => ({ Date: start, BillingPeriodStartDate: period }),
  },
  gcp_billing: {
    source: { kind: 'gcp_billing', options: COSTS },
    columns: [
      ...['usage_start_time', 'usage_end_time', 'invoice.month', 'currency', 'cost', 'credits', 'project.id'],
      ...['service.description', 'labels', 'resource.global_name', 'resource.name', 'location.zone'],
    ],
    account: 'project.id',
    amount: 'cost',
    rowOf: (line) => ({
      currency: 'USD',
      cost: line.cost,
      credits: '[]',
      'project.id': line.account,
      'service.description': line.service ?? '',
      labels: JSON.stringify(Object.entries(line.tags).map(([key, value]) => ({ key, value }))),
      'resource.global_name': line.resource?.text ?? '',
      'resource.name': line.resource?.called?.name ?? '',
      'location.zone': line.resource?.called?.zone ?? '',
    }),
    when: (start, end, period) => ({
      usage_start_time: start,
      usage_end_time: end,
      'invoice.month': period.slice(0, 7).replace('-', ''),
    }),
  },
  custom: {
    source: {
      kind: 'custom',
      options: {
        ...COSTS,
        columns: {
          ...{ cost: 'Kosten', day: 'von', end: 'bis', billing_period: 'Rechnung', provider: 'Anbieter' },
          ...{ account: 'Konto', service: 'Dienst', resource_group: 'Gruppe', tags: 'Marken' },
          ...{ resource: 'Ressource', resource_name: 'Name', zone: 'Zone' },
        },
        defaults: { currency: 'USD' },
      },
    },
    columns: [
      ...['von', 'bis', 'Rechnung', 'Kosten', 'Anbieter', 'Konto', 'Dienst', 'Gruppe', 'Marken'],
      ...['Ressource', 'Name', 'Zone'],
    ],
    account: 'Konto',
    amount: 'Kosten',
    rowOf: (line) => ({
      Kosten: line.cost,
      Anbieter: PROVIDERS[line.cloud] ?? '',
      Konto: line.account,
      Dienst: line.service ?? '',
      Gruppe: line.resource_group ?? '',
      Marken: JSON.stringify(line.tags),
      Ressource: line.resource?.text ?? '',
      Name: line.resource?.called?.name ?? '',
      Zone: line.resource?.called?.zone ?? '',
    }),
    when: (start, end, period) => ({ von: start, bis: end, Rechnung: period }),
  },
};

export const instant = (day: Day): string => `${day}T00:00:00Z`;

/** Returns the row of a line on the bill of a month. */
export const billRow = (form: Form, line: BillLine, month: Month): Row => ({
  ...form.rowOf(line),
  ...form.when(instant(line.day), instant(addDays(line.day, 1)), instant(`${month}-01`)),
});
