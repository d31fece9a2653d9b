import type { CostSet } from '../../../domain/sources/exports/cost-set.ts';
import { invalid } from '../../../domain/shared/errors.ts';
import { firstAndMore } from '../../../domain/shared/text/for-message.ts';
import { quoted } from '../feeds/cells.ts';
import { withoutQuery, type ExportFile } from '../feeds/export-files.ts';
import type { Statements } from '../../engine/session.ts';
import { AZURE_COST, EVIDENCE } from './azure-cost.ts';
import { billRelations } from './bill-relations.ts';

// Azure exports the same charges in two sets, actual and amortised. Only one of them counts. In a bill without reservations and
// savings plans they are the same.

/** The set that has a cost. */
const SET_OF = { EffectiveCost: 'amortised', BilledCost: 'actual' } as const;
const OTHER = { actual: 'amortised', amortised: 'actual' } as const;

type CostColumn = keyof typeof SET_OF;

/** Returns the set of lines by what they say about it; null if they would be the same in both. */
function setOf(evidence: number): CostSet | null {
  if ((evidence & EVIDENCE.amortised) !== 0) return 'amortised';
  return evidence === 0 ? null : 'actual';
}

/**
 * Returns the files of the set that has a cost, if there are files of both sets. Files say their set by their manifest, their name,
 * or else by their lines. So only files that say nothing are read for it, and only if there are several.
 */
export async function filesOfSet(
  reader: Statements,
  files: readonly ExportFile[],
  costColumn: CostColumn,
): Promise<{ files: readonly ExportFile[]; notes: string[] }> {
  const silent = files.filter(({ costSet }) => costSet === undefined);
  const found =
    files.length > 1 && silent.length > 0
      ? await setsByFile(reader, silent)
      : new Map<string, CostSet | null>();
  const setOfFile = (file: ExportFile): CostSet | null => file.costSet ?? found.get(file.opened) ?? null;
  const wanted = SET_OF[costColumn];
  const others = files.filter((file) => setOfFile(file) === OTHER[wanted]);
  const counted = files.filter((file) => setOfFile(file) === wanted);
  if (others.length === 0 || counted.length === 0) return { files, notes: [] };
  return {
    files: files.filter((file) => !others.includes(file)),
    notes: [leftOutNote(others, costColumn)],
  };
}

/**
 * Returns the files of a listing that can have the set of a cost, by their manifests and names, and notes on the others. If a file
 * says nothing, all must be read to decide about one.
 */
export function listedOfSet<Listed extends { path: string; costSet?: CostSet }>(
  files: readonly Listed[],
  costColumn: CostColumn,
): { files: readonly Listed[]; notes: string[]; isWhole: boolean } {
  const wanted = SET_OF[costColumn];
  const isWhole = files.length > 1 && files.some(({ costSet }) => costSet === undefined);
  const counted = files.filter(({ costSet }) => costSet === wanted);
  const others = files.filter(({ costSet }) => costSet === OTHER[wanted]);
  if (isWhole || counted.length === 0 || others.length === 0) return { files, notes: [], isWhole };
  return { files: counted, notes: [leftOutNote(others, costColumn)], isWhole };
}

const leftOutNote = (others: readonly { path: string }[], costColumn: CostColumn): string =>
  `files with Azure's ${OTHER[SET_OF[costColumn]]} cost were left out, because others have the ${SET_OF[costColumn]} cost of ${costColumn}: ` +
  firstAndMore(
    others.map(({ path }) => withoutQuery(path)),
    MOST_FILES,
  ).join(', ');

const MOST_FILES = 5;

async function setsByFile(
  reader: Statements,
  files: readonly ExportFile[],
): Promise<Map<string, CostSet | null>> {
  const scans = billRelations(
    files.map((file) => ({ ...file, bill: AZURE_COST })),
    'skipped',
  ).map(
    ({ fileColumn, costSet, from }) =>
      `SELECT ${quoted(fileColumn)} AS file, ${costSet ?? 'NULL'} AS cost_set FROM ${from}`,
  );
  const rows = await reader.query<{ file: string; evidence: string | null }>(
    `SELECT file, bit_or(cost_set)::INTEGER AS evidence FROM (${scans.join(' UNION ALL ')}) GROUP BY file`,
  );
  return new Map(rows.map(({ file, evidence }) => [file, setOf(Number(evidence ?? 0))]));
}

/**
 * Throws `invalid` if a bill that was read has the other set than its cost needs: by its lines, or, if they would be the same, by
 * its manifest or name.
 */
export async function refuseOtherSet(
  reader: Statements,
  files: readonly ExportFile[],
  costColumn: CostColumn,
): Promise<void> {
  const [read] = await reader.query<{ evidence: string | null }>(
    'SELECT bit_or(cost_set)::INTEGER AS evidence FROM focus_roll_up WHERE NOT is_of_values',
  );
  const named = [...new Set(files.map(({ costSet = null }) => costSet))];
  const found = setOf(Number(read?.evidence ?? 0)) ?? (named.length === 1 ? (named[0] ?? null) : null);
  const wanted = SET_OF[costColumn];
  if (found !== OTHER[wanted]) return;
  throw invalid(
    `location: expected Azure's ${wanted} cost, which ${costColumn} needs, got its ${found} cost; add an export of the ${wanted} cost to ` +
      `the location, or set options.cost_column to ${COST_OF[found]}; nothing was loaded`,
  );
}

const COST_OF = { amortised: 'EffectiveCost', actual: 'BilledCost' } as const;
