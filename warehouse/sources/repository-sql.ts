import { REPOSITORY_STEPS } from '../../domain/sources/repository.ts';
import { normalTextSql } from '../engine/sql/normal-text.ts';
import { sqlText } from '../engine/sql/sql-text.ts';

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Returns a repository's normal name as SQL, like `normalRepository` (domain/sources/repository.ts); null if it is empty. */
export function normalRepositorySql(text: string): string {
  const lower = `translate(${normalTextSql(text)}, '${UPPER}', '${UPPER.toLowerCase()}')`;
  const normal = REPOSITORY_STEPS.reduce(
    (name, { pattern, replacement }) =>
      `regexp_replace(${name}, ${sqlText(pattern)}, ${sqlText(replacement.replaceAll('$', '\\'))}, 'g')`,
    lower,
  );
  return `NULLIF(${normal}, '')`;
}
