import { z } from 'zod';
import { normalText } from '../../shared/text/normal-text.ts';
import { LONGEST_NAME, UPLOADED_NAME } from './name-rule.ts';

export { UPLOAD } from './name-rule.ts';

const EXPECTED =
  'expected a file name of 1 to 200 characters that ends in .csv, .csv.gz or .parquet, without "/" and "\\"';

/** The name of a sent file. */
export const uploadedName = z
  .string({ error: EXPECTED })
  .overwrite(normalText)
  .max(LONGEST_NAME, { error: EXPECTED })
  .regex(UPLOADED_NAME, { error: EXPECTED });
