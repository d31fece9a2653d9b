import type { Kind } from './kinds.ts';

/** How files of a kind are known, and what they are called. */
interface KnownFile {
  kind: Kind;
  called: string;
  /** Columns that all of its files have, each in one of several spellings, as letters and digits in lower case. */
  has: readonly (readonly string[])[];
}

const KNOWN: readonly KnownFile[] = [
  {
    kind: 'aws_cur',
    called: 'AWS CUR',
    has: [['lineitemusagestartdate'], ['lineitemunblendedcost', 'lineitemlineitemtype']],
  },
  {
    kind: 'azure_cost',
    called: 'Azure cost details',
    has: [
      [
        'metercategory',
        'kategoriederverbrauchseinheit',
        'verbrauchskategorie',
        'consumedservice',
        'genutzterdienst',
      ],
      ['costinbillingcurrency', 'pretaxcost', 'cost', 'kosteninabrechnungswährung', 'kosten'],
      ['date', 'usagedatetime', 'usagedate', 'datum', 'nutzungsdatum'],
    ],
  },
  {
    kind: 'focus',
    called: 'a FOCUS export',
    has: [['chargeperiodstart'], ['billingperiodstart'], ['effectivecost', 'billedcost']],
  },
  {
    kind: 'gcp_billing',
    called: "a table of Google's usage costs",
    has: [
      ['usagestarttime'],
      ['usageendtime'],
      ['cost'],
      ['invoice', 'invoicemonth', 'service', 'servicedescription'],
    ],
  },
  {
    kind: 'opencost',
    called: 'an OpenCost export',
    has: [['namespace'], ['controllerkind', 'controllername'], ['totalcost']],
  },
  { kind: 'hosts', called: 'a file of hosts', has: [['day'], ['host'], ['cost']] },
  { kind: 'ai_tools', called: 'a file of AI tools', has: [['day'], ['tool'], ['cost', 'usage']] },
];

/** Returns the kind of source that reads files with these columns, and what such a file is called; null if it is not known. */
export function kindOfColumns(names: readonly string[]): Pick<KnownFile, 'kind' | 'called'> | null {
  const keys = new Set(names.flatMap(keysOf));
  return KNOWN.find(({ has }) => has.every((spellings) => spellings.some((key) => keys.has(key)))) ?? null;
}

/** Returns a header as a key, and its English part, because Azure writes `Ressourcengruppe (ResourceGroup)`. */
const keysOf = (header: string): string[] =>
  [header, /\(([^()]*)\)\s*$/.exec(header)?.[1] ?? ''].map((text) =>
    text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, ''),
  );
