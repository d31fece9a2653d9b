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
  // eslint-disable-next-line no-control-regex -- a name has no control characters
  .regex(/^[^.\\/\x00-\x1f\x7f-\x9f][^\\/\x00-\x1f\x7f-\x9f]*\.(?:csv|csv\.gz|parquet)$/i, {
    error: EXPECTED,
  });
