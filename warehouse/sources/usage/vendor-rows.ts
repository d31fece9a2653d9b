import type { Day } from '../../../domain/shared/calendar.ts';
import type { Reader } from '../../engine/readers/reader.ts';
import type { Session } from '../../engine/session.ts';
import type { Relation } from '../feeds/scan-files.ts';

/** What a tool cost or how much it was used on a day, as its vendor says; a decimal text. */
export interface VendorRow {
  day: Day;
  tool: string;
  amount: string;
}

const TABLES = {
  vendor_spend: ['export_file', 'day', 'tool', 'cost'],
  vendor_usage: ['export_file', 'day', 'tool', 'repository', 'usage'],
} as const;

const relation = (table: keyof typeof TABLES): Relation => ({
  from: `temp.main.${table}`,
  fileColumn: 'export_file',
  format: 'parquet',
  columns: TABLES[table].map((name) => ({ name, type: 'VARCHAR' })),
  counts: [null],
});

/** What a vendor has answered, as feeds of `stageAiTools`. Without any appended row they are empty. */
export const VENDOR_SPEND = relation('vendor_spend');
export const VENDOR_USAGE = relation('vendor_usage');

/** Creates the tables for a vendor's answers. */
export async function openVendorRows(reader: Reader): Promise<void> {
  for (const [table, columns] of Object.entries(TABLES))
    await reader.run(`CREATE TEMP TABLE ${table} (${columns.map((name) => `${name} VARCHAR`).join(', ')})`);
}

/** @param from names what the rows were read from, in messages. */
export const appendVendorSpend = (reader: Reader, from: string, rows: readonly VendorRow[]): Promise<void> =>
  append(
    reader,
    'vendor_spend',
    rows.map(({ day, tool, amount }) => [from, day, tool, amount]),
  );

/** Appends usage that belongs to no repository, because no vendor knows the repositories. */
export const appendVendorUsage = (reader: Reader, from: string, rows: readonly VendorRow[]): Promise<void> =>
  append(
    reader,
    'vendor_usage',
    rows.map(({ day, tool, amount }) => [from, day, tool, null, amount]),
  );

async function append(
  reader: Reader,
  table: keyof typeof TABLES,
  rows: readonly (readonly (string | null)[])[],
): Promise<void> {
  if (rows.length === 0) return;
  await reader.append(
    table,
    TABLES[table].map((_, index) => rows.map((row) => row[index] ?? null)),
  );
}

/** Returns the tools that a source's current loads have spend of. */
export async function toolsOf(
  session: Session,
  { orgId, sourceId }: { orgId: string; sourceId: string },
): Promise<string[]> {
  const tools = await session.query<{ tool: string }>(
    `SELECT DISTINCT tool FROM ai_tool_spend SEMI JOIN current_loads USING (org_id, source_id, load_id, billing_period)
     WHERE org_id = $org AND source_id = $source`,
    { org: orgId, source: sourceId },
  );
  return tools.map(({ tool }) => tool);
}
