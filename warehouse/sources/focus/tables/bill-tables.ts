import type { BigQueryColumn } from '../../../../domain/shared/bigquery-query.ts';
import { invalid } from '../../../../domain/shared/errors.ts';
import { firstAndMore } from '../../../../domain/shared/text/for-message.ts';
import type { CostColumn } from '../focus-columns.ts';
import type { Candidate } from '../values/collected-values.ts';
import type { BillTable, BillTableOf } from './bill-table.ts';
import { focusTable } from './focus-table.ts';
import { gcpBillingTable } from './gcp-billing-table.ts';
import type { CollectedKeys } from './roll-up-query.ts';

/** How the tables of each kind of source are read. */
const TABLES = { focus: focusTable, gcp_billing: gcpBillingTable } satisfies Record<string, BillTableOf>;

type TableKind = keyof typeof TABLES;

const WORDS: Record<TableKind, string> = {
  focus: 'the columns of FOCUS',
  gcp_billing: "the columns of Google's usage cost tables",
};

const MOST_NAMED = 10;

/**
 * Returns how a table is read.
 *
 * @throws ServiceError `invalid` for a table that lacks mandatory columns. If it is a bill of another kind, the message says so.
 */
export function billTableOf(
  kind: TableKind,
  name: string,
  columns: readonly BigQueryColumn[],
  costColumn: CostColumn,
): BillTable {
  const read = TABLES[kind](name, columns);
  if ('missing' in read) {
    const other = (Object.keys(TABLES) as TableKind[]).find((one) => 'table' in TABLES[one](name, columns));
    throw invalid(
      other === undefined
        ? `location: mandatory column ${firstAndMore(read.missing, MOST_NAMED).join('; ')} is missing in the table; nothing was loaded`
        : `location: the table has ${WORDS[other]}: make the source one of kind ${other}; nothing was loaded`,
    );
  }
  const { table } = read;
  if ((costColumn === 'EffectiveCost' ? table.effectiveCost : table.billedCost) === null)
    throw invalid(`location: mandatory column ${costColumn} is missing in the table; nothing was loaded`);
  return table;
}

/** Returns what the candidates of a load need of a table. */
export function collectedOf(candidates: readonly Candidate[]): CollectedKeys {
  const tags = candidates.filter(({ kind }) => kind === 'tag');
  const exact = new Set(tags.filter(({ isAzureTag }) => !isAzureTag).map(({ choice }) => choice));
  const tagKeys = [...new Set(tags.map(({ choice }) => choice))];
  return {
    tagKeys,
    inAnyCase: new Set(tagKeys.filter((key) => !exact.has(key))),
    services: candidates.some(({ kind, choice }) => kind === 'split' && choice === 'service'),
    resourceGroups: candidates.some(({ kind, choice }) => kind === 'split' && choice === 'resource_group'),
    clusters: candidates.some(({ kind }) => kind === 'label'),
  };
}
