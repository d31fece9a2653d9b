import { invalid } from '../../domain/shared/errors.ts';
import { kindOfColumns } from '../../domain/sources/kind-of-columns.ts';
import type { Kind } from '../../domain/sources/kinds.ts';
import { withoutQuery, type ExportFile } from '../../warehouse/sources/feeds/export-files.ts';

type Missing = (file: ExportFile) => string[];

/** Returns `missing`, which throws `invalid` for a file that a source of another kind reads, and says which. */
export const ofKind =
  (kind: Kind, missing: Missing): Missing =>
  (file) => {
    const lacking = missing(file);
    if (lacking.length === 0) return lacking;
    const known = kindOfColumns(file.columns.map(({ name }) => name));
    if (known === null || known.kind === kind) return lacking;
    throw invalid(
      `${withoutQuery(file.path)}: this is ${known.called}; make the source ${articleOf(known.kind)} ${known.kind} one; nothing was loaded`,
    );
  };

const articleOf = (kind: Kind): string => (/^[aeiou]/.test(kind) ? 'an' : 'a');
