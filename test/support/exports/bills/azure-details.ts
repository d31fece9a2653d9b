import { fromCsv } from '../../warehouse/duckdb-files.ts';
import { csvTable } from './csv-table.ts';
import type { Charge } from './charges.ts';

type Row = Record<string, string>;
type Set = 'actual' | 'amortised';

const [DAY, MONTH, YEAR] = [
  (iso: string) => iso.slice(8, 10),
  (iso: string) => iso.slice(5, 7),
  (iso: string) => iso.slice(0, 4),
];
const american = (iso: string): string => `${MONTH(iso)}/${DAY(iso)}/${YEAR(iso)}`;
const german = (iso: string): string => `${DAY(iso)}.${MONTH(iso)}.${YEAR(iso)}`;

/** The lines of a set: the amortised one has no purchases and refunds of commitments, the actual one nothing unused. */
const linesOf = (charges: readonly Charge[], set: Set): { charge: Charge; cost: string }[] =>
  charges
    .map((charge) => ({ charge, cost: set === 'amortised' ? charge.effective : charge.billed }))
    .filter(
      ({ charge, cost }) =>
        cost !== '0' ||
        charge.native['ReservationId'] !== undefined ||
        charge.native['BenefitId'] !== undefined,
    )
    .filter(({ charge }) =>
      set === 'amortised'
        ? charge.category === 'Usage' || charge.effective !== '0'
        : !charge.line.startsWith('Unused'),
    );

const tagsWithoutBraces = ({ tags }: Charge): string =>
  JSON.stringify(tags).slice(1, -1).replaceAll('":"', '": "');

/** Returns cost details of an enterprise agreement, with American days and tags without braces. */
export const enterpriseDetails = (charges: readonly Charge[], set: Set): string =>
  csvTable(
    linesOf(charges, set).map(({ charge, cost }): Row => ({
      AccountOwnerId: 'owner@example.com',
      SubscriptionId: charge.account,
      SubscriptionName: charge.accountName,
      ResourceGroup: charge.group ?? '',
      Date: american(charge.start),
      MeterCategory: charge.service,
      CostInBillingCurrency: cost,
      ConsumedService: 'Microsoft.Compute',
      ResourceId: charge.resource ?? '',
      Tags: tagsWithoutBraces(charge),
      ReservationId: charge.native['ReservationId'] ?? '',
      benefitId: charge.native['BenefitId'] ?? '',
      PricingModel: charge.native['PricingModel'] ?? 'OnDemand',
      ChargeType: charge.line,
      BillingAccountId: '8608480',
      BillingCurrencyCode: 'USD',
      BillingPeriodStartDate: american(charge.period),
    })),
  );

/** Returns cost details of a customer agreement, with ISO days and tags in braces. */
export const customerDetails = (charges: readonly Charge[], set: Set): string =>
  csvTable(
    linesOf(charges, set).map(({ charge, cost }): Row => ({
      billingAccountId: '8608480',
      billingPeriodStartDate: charge.period,
      date: charge.start.slice(0, 10),
      consumedService: 'Microsoft.Compute',
      meterCategory: charge.service,
      SubscriptionId: charge.account,
      subscriptionName: charge.accountName,
      resourceGroupName: charge.group ?? '',
      ResourceId: charge.resource ?? '',
      chargeType: charge.line,
      billingCurrency: 'USD',
      pricingCurrency: 'EUR',
      costInBillingCurrency: cost,
      costInPricingCurrency: '77',
      tags: JSON.stringify(charge.tags),
      reservationId: charge.native['ReservationId'] ?? '',
      benefitId: charge.native['BenefitId'] ?? '',
      pricingModel: charge.native['PricingModel'] ?? 'OnDemand',
    })),
  );

/** Returns a SELECT that gives details of a customer agreement the types that they have in Parquet. */
export const typedDetails = (csvFile: string): string =>
  `SELECT * REPLACE (CAST(date AS TIMESTAMP) AS date, CAST(billingPeriodStartDate AS TIMESTAMP) AS billingPeriodStartDate,
     CAST(costInBillingCurrency AS DOUBLE) AS costInBillingCurrency) FROM (${fromCsv(csvFile)})`;

/** Returns cost details as the portal writes them for Germans: with both names in the header, days, and decimal commas. */
export const germanDetails = (charges: readonly Charge[], set: Set): string =>
  csvTable(
    linesOf(charges, set).map(({ charge, cost }): Row => ({
      'Abonnement-GUID (SubscriptionGuid)': charge.account,
      'Name des Abonnements (SubscriptionName)': charge.accountName,
      'Ressourcengruppe (ResourceGroup)': charge.group ?? '',
      'Datum (Date)': german(charge.start),
      'Kategorie der Verbrauchseinheit (MeterCategory)': charge.service,
      'Genutzter Dienst (ConsumedService)': 'Microsoft.Compute',
      'ID der Instanz (InstanceId)': charge.resource ?? '',
      'Kosten (Cost)': cost.replace('.', ','),
      Abrechnungswährung: 'USD',
      Tags: tagsWithoutBraces(charge),
      'Gebührentyp (ChargeType)': charge.line,
      'Reservierungs-ID': charge.native['ReservationId'] ?? '',
      BenefitId: charge.native['BenefitId'] ?? '',
      'Preismodell (PricingModel)': charge.native['PricingModel'] ?? 'OnDemand',
    })),
  );
