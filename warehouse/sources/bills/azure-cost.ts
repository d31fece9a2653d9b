import { decimalCell, quoted } from '../feeds/cells.ts';
import type { BillFormat, NativeValue } from './bill-format.ts';
import { sqlTexts } from '../../engine/sql/sql-text.ts';
import { costBy, type CostRule, type Term } from './costs.ts';
import type { NativeRow } from './native-row.ts';
import { always, cell, dayInAnyForm, firstGiven, period, textIn, time, translated } from './values.ts';

// Azure's cost details, actual or amortised. The names are those of an enterprise agreement. A customer agreement writes them in
// another case, and with other words for a few. The portal translates them for German customers.

/** German headers, by the column that they are. */
const GERMAN: Readonly<Record<string, readonly string[]>> = {
  Date: ['Datum', 'Nutzungsdatum', 'Verbrauchsdatum'],
  BillingPeriodStartDate: [
    'Startdatum des Abrechnungszeitraums',
    'Beginn des Abrechnungszeitraums',
    'Abrechnungszeitraum Startdatum',
  ],
  SubscriptionId: ['Abonnement-ID', 'Abonnement-GUID', 'Abonnementkennung'],
  SubscriptionName: ['Abonnementname', 'Name des Abonnements', 'Abonnement'],
  BillingAccountId: ['Abrechnungskonto-ID', 'ID des Abrechnungskontos'],
  MeterCategory: ['Kategorie der Verbrauchseinheit', 'Verbrauchskategorie', 'Messungskategorie'],
  ConsumedService: ['Genutzter Dienst', 'Verbrauchter Dienst'],
  ResourceGroup: ['Ressourcengruppe', 'Name der Ressourcengruppe'],
  ResourceId: ['Ressourcen-ID', 'ID der Ressource', 'Instanz-ID', 'ID der Instanz'],
  ResourceName: ['Ressourcenname', 'Name der Ressource'],
  CostInBillingCurrency: ['Kosten in Abrechnungswährung', 'Kosten'],
  BillingCurrency: ['Abrechnungswährung', 'Währung', 'Code der Abrechnungswährung'],
  ChargeType: ['Gebührentyp', 'Art der Gebühr', 'Belastungstyp'],
  PricingModel: ['Preismodell'],
  ReservationId: ['Reservierungs-ID', 'ID der Reservierung'],
  BenefitId: ['Vorteils-ID', 'Leistungs-ID'],
  Tags: ['Markierungen'],
};

const DATE = ['Date', 'UsageDateTime', 'UsageDate'] as const;
const CHARGE_TYPE = ['ChargeType'] as const;
const PURCHASE = ['Purchase', 'Kauf'];
const REFUND = ['Refund', 'Erstattung', 'Rückerstattung'];
const COMMITMENT = ['ReservationId', 'BenefitId'] as const;
const PRICING_MODEL = ['PricingModel'] as const;

/** A German file has decimal commas. Any other comma is not guessed. */
const COST: Term = {
  names: ['CostInBillingCurrency', 'Cost', 'PreTaxCost'],
  read: (row, column) =>
    column.type === 'VARCHAR' && row.isTranslated
      ? {
          ...column,
          name: row.derive(
            `decimal ${column.name}`,
            `replace(${quoted(column.name)}, ',', '.')`,
            'VARCHAR',
            '',
          ).name,
        }
      : column,
};

const OF_COMMITMENTS: readonly CostRule[] = [
  {
    lines: '`Purchase`, `Refund` of a reservation or savings plan',
    where: [
      { names: CHARGE_TYPE, is: [...PURCHASE, ...REFUND] },
      { names: COMMITMENT, is: 'present' },
    ],
    cost: [],
  },
  {
    lines: '`Purchase`, `Refund` with the pricing model of one',
    where: [
      { names: CHARGE_TYPE, is: [...PURCHASE, ...REFUND] },
      { names: PRICING_MODEL, is: ['Reservation', 'SavingsPlan'] },
    ],
    cost: [],
  },
];
const OTHERS: CostRule = { lines: 'all others', where: [], cost: [COST] };

/** Returns the tags as JSON. Azure leaves out the braces in some files. */
const withBraces = (name: string): NativeValue => ({
  words: `\`${name}\``,
  needs: [],
  reads: [name],
  in: (row) => {
    const column = row.first([name]);
    if (column?.type !== 'VARCHAR') return column === null ? null : { ...column, sql: quoted(column.name) };
    const text = `trim(${textIn(row, column)})`;
    return {
      sql: `CASE WHEN starts_with(${text}, '"') THEN '{' || rtrim(${text}, ',') || '}' ELSE ${text} END`,
      type: 'VARCHAR',
      called: column.called,
    };
  },
});

export const AZURE_COST: BillFormat = {
  translations: GERMAN,
  columns: {
    EffectiveCost: costBy('EffectiveCost', [...OF_COMMITMENTS, OTHERS]),
    BilledCost: costBy('BilledCost', [OTHERS]),
    BillingCurrency: cell('BillingCurrency', 'BillingCurrencyCode', 'Currency'),
    ChargePeriodStart: time(DATE, dayInAnyForm),
    ChargePeriodEnd: time(DATE, dayInAnyForm, {
      words: 'a day later',
      then: (day) => `${day} + INTERVAL 1 DAY`,
    }),
    BillingPeriodStart: firstGiven(
      period(['BillingPeriodStartDate'], dayInAnyForm),
      period(DATE, dayInAnyForm, {
        words: 'the month of the date',
        then: (day) => `date_trunc('month', ${day})`,
      }),
    ),
    ProviderName: always('Microsoft'),
    SubAccountId: cell('SubscriptionGuid', 'SubscriptionId'),
    BillingAccountId: cell('BillingAccountId'),
    SubAccountName: cell('SubscriptionName'),
    ChargeCategory: translated(
      CHARGE_TYPE,
      { Purchase: PURCHASE, Credit: [...REFUND, 'Credit'], Adjustment: ['RoundingAdjustment'], Tax: ['Tax'] },
      'Usage',
    ),
    CommitmentDiscountId: cell('ReservationId', 'BenefitId'),
    ServiceName: cell('MeterCategory', 'ConsumedService'),
    ResourceId: cell('ResourceId', 'InstanceId'),
    ResourceName: cell('ResourceName'),
    x_ResourceGroupName: cell('ResourceGroup', 'ResourceGroupName'),
  },
  tags: withBraces('Tags'),
  costSet: evidenceOfSet,
};

/** Lines that only one of the two sets has. */
export const EVIDENCE = {
  /** A purchase of a reservation or a savings plan has a cost. */
  purchase: 1,
  /** Usage that one covers has a cost, or what it leaves unused has a line. */
  amortised: 2,
  /** Usage that one covers costs nothing. */
  covered: 4,
} as const;

/** Returns the SQL of what a line says about its set, as bits. */
function evidenceOfSet(row: NativeRow): string | null {
  const [type, cost] = [row.first(CHARGE_TYPE), row.first(COST.names)];
  const ids = row.found(COMMITMENT);
  if (type === null || cost === null) return null;
  const charge = textIn(row, type);
  const amount = decimalCell(COST.read?.(row, cost) ?? cost);
  const isCovered =
    ids.length === 0 ? 'false' : `(${ids.map((id) => `${textIn(row, id)} IS NOT NULL`).join(' OR ')})`;
  return `CASE WHEN starts_with(${charge}, 'Unused') THEN ${EVIDENCE.amortised} WHEN ${isCovered} THEN
      CASE WHEN ${charge} IN ${sqlTexts([...PURCHASE, ...REFUND])} THEN CASE WHEN ${amount} <> 0 THEN ${EVIDENCE.purchase} END
        WHEN ${amount} <> 0 THEN ${EVIDENCE.amortised} WHEN ${amount} = 0 THEN ${EVIDENCE.covered} END END`;
}
