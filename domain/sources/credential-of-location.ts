/** The type of credentials that opens locations of a scheme. All other locations are opened without any. */
const TYPE_OF_SCHEME = { s3: 's3', gs: 'gcs', az: 'azure', bigquery: 'google' } as const;

type Scheme = keyof typeof TYPE_OF_SCHEME;

const isScheme = (text: string): text is Scheme => Object.hasOwn(TYPE_OF_SCHEME, text);

/** Returns the type of credentials that opens a location; null for one that takes none. */
export function credentialTypeOf(location: string): (typeof TYPE_OF_SCHEME)[Scheme] | null {
  const scheme = /^([a-z][a-z0-9]*):\/\//i.exec(location)?.[1]?.toLowerCase() ?? '';
  return isScheme(scheme) ? TYPE_OF_SCHEME[scheme] : null;
}
