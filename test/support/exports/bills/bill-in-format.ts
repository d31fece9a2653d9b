import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { fromCsv, writeTable } from '../../warehouse/duckdb-files.ts';
import { focusCsv } from '../focus-export.ts';
import { AWS_CHARGES } from './aws-charges.ts';
import { asParquet, cur2Csv } from './aws-reports.ts';
import { AZURE_CHARGES } from './azure-charges.ts';
import { customerDetails, typedDetails } from './azure-details.ts';
import { focusLine, type Charge } from './charges.ts';
import { csvTable } from './csv-table.ts';
import { GOOGLE_CHARGES, nestedUsageCosts, usageCosts } from './google-charges.ts';

export const FILE_FORMATS = ['csv', 'csv.gz', 'parquet'] as const;

/** How a kind of bill writes charges: as CSV, and how Parquet has the same table. */
interface Written {
  charges: readonly Charge[];
  /** What the charges cost, worked out by hand. */
  total: string;
  csv: (charges: readonly Charge[]) => string;
  parquet: (csvFile: string, columns: readonly string[]) => string;
  options?: object;
}

/** The API shows six decimals. A charge like another one takes the digits beyond them, so that every digit is compared. */
const rest = (charge: Charge | undefined, effective: string): Charge[] =>
  charge === undefined ? [] : [{ ...charge, effective, native: { ...charge.native, cost: effective } }];

/** 1.25 + 1.15 + 0.30000000004 + 3 − 4 + 0.004. The tax has no project, and so it would be on the same account in all bills. */
const GOOGLE = [
  ...GOOGLE_CHARGES.filter(({ line }) => line !== 'tax'),
  ...rest(GOOGLE_CHARGES[2], '-0.00000000004'),
];

/** The kinds of bills. Each has charges of every type of line that it knows. */
export const BILL_KINDS = {
  focus: {
    charges: AWS_CHARGES,
    total: '38.383',
    csv: (charges) => focusCsv(charges.map((charge) => focusLine('AWS', charge))),
    parquet: fromCsv,
  },
  aws_cur: { charges: AWS_CHARGES, total: '38.383', csv: cur2Csv, parquet: asParquet },
  azure_cost: {
    charges: [...AZURE_CHARGES, ...rest(AZURE_CHARGES[0], '-0.0000009')],
    total: '111.595678',
    csv: (charges) => customerDetails(charges, 'amortised'),
    parquet: typedDetails,
  },
  gcp_billing: {
    charges: GOOGLE,
    total: '1.704',
    csv: usageCosts,
    parquet: (csvFile) => nestedUsageCosts(csvFile),
  },
  custom: {
    charges: GOOGLE,
    total: '1.704',
    csv: (charges) =>
      csvTable(
        charges.map(({ start, account, service, effective }) => ({
          'Usage Day': start.slice(0, 10),
          Team: account,
          Product: service,
          'Amount (USD)': effective,
        })),
      ),
    parquet: fromCsv,
    options: {
      columns: { cost: 'Amount (USD)', day: 'Usage Day', account: 'Team', service: 'Product' },
      defaults: { provider: 'Datadog', currency: 'USD' },
    },
  },
} as const satisfies Record<string, Written>;

/** Returns the file of a bill whose accounts begin with a name, so that no other bill has their charges. */
export async function billInFormat(
  kind: keyof typeof BILL_KINDS,
  format: (typeof FILE_FORMATS)[number],
  name: string,
): Promise<Buffer> {
  const { charges, csv, parquet }: Written = BILL_KINDS[kind];
  const text = csv(charges.map((charge) => ({ ...charge, account: `${name} ${charge.account}` })));
  if (format === 'csv') return Buffer.from(text);
  if (format === 'csv.gz') return gzipSync(text);
  const folder = await mkdtemp(join(tmpdir(), 'cost-analytics-bill-'));
  const [csvFile, file] = [join(folder, 'bill.csv'), join(folder, 'bill.parquet')];
  await writeFile(csvFile, text);
  await writeTable(file, parquet(csvFile, (text.split('\n')[0] ?? '').split(',')));
  const content = await readFile(file);
  await rm(folder, { recursive: true });
  return content;
}
