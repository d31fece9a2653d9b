import { invalid } from '../../domain/shared/errors.ts';
import { firstAndMore } from '../../domain/shared/text/for-message.ts';
import type { CustomColumns } from '../../domain/sources/custom-bill.ts';
import { otherSeparator } from '../../domain/sources/exports/other-separator.ts';
import { withoutQuery, type ExportFile } from '../../warehouse/sources/feeds/export-files.ts';

const MOST_NAMED = 50;

/**
 * Returns the columns that a file lacks if its other separator is the reason.
 *
 * @throws ServiceError `invalid` if a file lacks a column that the options name, with the columns that it has.
 */
export function missingCustomColumns(file: ExportFile, columns: CustomColumns): string[] {
  const lacking = lackingIn(
    file.columns.map(({ name }) => name),
    columns,
  );
  const [first] = lacking;
  if (first === undefined) return [];
  const names = file.columns.map(({ name }) => name.trim());
  if (otherSeparator(names, (others) => lackingIn(others, columns).length) !== null)
    return lacking.map(([, name]) => name);
  const [option, name] = first;
  throw invalid(
    `options.columns.${option}: expected a column of ${withoutQuery(file.path)}, got ${JSON.stringify(name)}; its columns are ` +
      `${firstAndMore(
        names.map((own) => JSON.stringify(own)),
        MOST_NAMED,
      ).join(', ')}; nothing was loaded`,
  );
}

function lackingIn(names: readonly string[], columns: CustomColumns): [option: string, name: string][] {
  const has = new Set(names.map((name) => name.trim().toLowerCase()));
  return Object.entries(columns).flatMap(([option, name]) =>
    name === undefined || has.has(name.toLowerCase()) ? [] : [[option, name]],
  );
}
