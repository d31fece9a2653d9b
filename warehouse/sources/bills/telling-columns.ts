import type { ExportFile } from '../feeds/export-files.ts';
import type { BillFormat, MappedName } from './bill-format.ts';
import { NativeRow } from './native-row.ts';

/** The columns of FOCUS that tell lines apart, the day first. */
const TELLING = [
  'ChargePeriodStart',
  'EffectiveCost',
  'SubAccountId',
  'ResourceId',
  'ServiceName',
  'ChargePeriodEnd',
] as const satisfies readonly MappedName[];

/** Returns the columns of a file in a native format that tell its lines apart, by its own names, the day first. */
export function tellingColumnsOf(file: ExportFile, format: BillFormat): string[] {
  const row = new NativeRow(file, format);
  return TELLING.flatMap((name) => row.first(format.columns[name]?.reads ?? [])?.name ?? []);
}
