import { LONGEST_NAME, UPLOADED_NAME } from '../../../domain/sources/uploads/name-rule.ts';

/** Returns why no source can have a file of the name; null if one can. */
export const nameProblem = (name: string): string | null =>
  UPLOADED_NAME.test(name) && name.length <= LONGEST_NAME
    ? null
    : 'Expected a file that ends in .csv, .csv.gz or .parquet. Export the rows in one of these formats.';
