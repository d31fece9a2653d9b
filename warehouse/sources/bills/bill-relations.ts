import type { ExportFile } from '../feeds/export-files.ts';
import { relationsOf, type Relation } from '../feeds/scan-files.ts';
import type { BillFormat } from './bill-format.ts';
import { mappedRelation } from './mapped-relation.ts';

/** A file of a cloud's bill. */
export interface BillFile extends ExportFile {
  /** How its own columns are read; absent for FOCUS. */
  bill?: BillFormat;
}

/** Returns the relations that read bills, whose columns are those of FOCUS (scan-files.ts). */
export function billRelations(
  files: readonly BillFile[],
  brokenLines: 'counted' | 'skipped' = 'counted',
): Relation[] {
  const [first] = files;
  const relations = relationsOf(files, brokenLines);
  const format = first?.bill;
  return format === undefined ? relations : relations.map((relation) => mappedRelation(relation, format));
}
