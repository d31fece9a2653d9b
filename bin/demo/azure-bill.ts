import type { Day, Month } from '../../domain/shared/calendar.ts';
import { billedIn, chargedThrough, costs, units, type Bill, type FocusRow } from './focus-row.ts';
import { usageOfDay, type MeteredResource } from './metered-resource.ts';

const BILLING_ACCOUNT = '/providers/Microsoft.Billing/billingAccounts/7700100';

const subscription = (id: string, accountName: string) => ({
  account: `/subscriptions/${id}`,
  accountName,
});
const BACK_OFFICE = subscription('5e1f0000-0000-4000-8000-000000000001', 'Back office');
/** The subscription that recommends what to buy. */
export const INSIGHT = subscription('5e1f0000-0000-4000-8000-000000000002', 'Customer insight');

const inGroup = (account: { account: string }, resourceGroup: string, path: string) => ({
  resourceGroup,
  resource: `${account.account}/resourceGroups/${resourceGroup}/providers/${path}`,
});

const RESOURCES: readonly MeteredResource[] = [
  {
    ...BACK_OFFICE,
    ...inGroup(BACK_OFFICE, 'rg-erp', 'Microsoft.Compute/virtualMachines/erp-1'),
    service: 'Virtual Machines',
    category: 'Compute',
    dollarsPerDay: 78,
    load: 'steady',
  },
  {
    ...BACK_OFFICE,
    ...inGroup(BACK_OFFICE, 'rg-erp', 'Microsoft.Sql/servers/erp/databases/erp'),
    service: 'SQL Database',
    category: 'Databases',
    dollarsPerDay: 64,
    load: 'steady',
  },
  {
    ...BACK_OFFICE,
    ...inGroup(BACK_OFFICE, 'rg-intranet', 'Microsoft.Web/sites/intranet'),
    service: 'Azure App Service',
    category: 'Compute',
    dollarsPerDay: 22,
    load: 'office',
  },
  {
    ...INSIGHT,
    ...inGroup(INSIGHT, 'rg-recommend', 'Microsoft.CognitiveServices/accounts/recommend'),
    service: 'Azure OpenAI',
    category: 'AI and Machine Learning',
    dollarsPerDay: 71,
    load: 'busy',
  },
  {
    ...INSIGHT,
    ...inGroup(INSIGHT, 'rg-recommend', 'Microsoft.Storage/storageAccounts/insight'),
    service: 'Storage Accounts',
    category: 'Storage',
    dollarsPerDay: 17,
    load: 'steady',
  },
];

const MARKETPLACE_PER_MONTH = units(449.99);

/** Azure's bill of a month: daily usage of `days` in resource groups, and a marketplace licence for the month. */
export const azureBill = (month: Month, days: readonly Day[]): Bill => ({
  shared: {
    ...billedIn(month),
    BillingAccountId: BILLING_ACCOUNT,
    ProviderName: 'Microsoft',
    RegionId: 'westeurope',
  },
  rows: [
    marketplace(month),
    ...days.flatMap((day) => RESOURCES.map((resource) => usageOfDay(resource, day))),
  ],
});

/** Names no service, as purchases in the marketplace need not. */
const marketplace = (month: Month): FocusRow => ({
  ...chargedThrough(month),
  ...costs(MARKETPLACE_PER_MONTH),
  ChargeCategory: 'Purchase',
  ChargeDescription: 'Fraud screening, marketplace licence',
  ServiceCategory: 'Other',
  SubAccountId: BACK_OFFICE.account,
  SubAccountName: BACK_OFFICE.accountName,
  x_ResourceGroupName: 'rg-erp',
});
