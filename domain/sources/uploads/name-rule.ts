/** The location of a source whose files people send. */
export const UPLOAD = 'upload';

/** The longest name of a sent file. */
export const LONGEST_NAME = 200;

/** The name of a sent file. It says the format, and never leads out of a folder. */
// eslint-disable-next-line no-control-regex -- a name has no control characters
export const UPLOADED_NAME = /^[^.\\/\x00-\x1f\x7f-\x9f][^\\/\x00-\x1f\x7f-\x9f]*\.(?:csv|csv\.gz|parquet)$/i;
