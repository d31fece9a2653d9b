import { z } from 'zod';
import { normalText } from '../../shared/text/normal-text.ts';

/** The location of a source whose files people send. */
export const UPLOAD = 'upload';

const EXPECTED =
  'expected a file name of 1 to 200 characters that ends in .csv, .csv.gz or .parquet, without "/" and "\\"';

/** The name of a sent file. It says the format, and never leads out of a folder. */
export const uploadedName = z
  .string({ error: EXPECTED })
  .overwrite(normalText)
  .max(200, { error: EXPECTED })
  .regex(/^(?!\.)[^\\/\p{Cc}]+\.(?:csv|csv\.gz|parquet)$/iu, { error: EXPECTED });
