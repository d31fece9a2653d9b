/**
 * SQL for a key that is equal for names that look the same. It composes letters, removes zero-width characters, and makes each
 * run of white space (no-break space, too) one space. Letter case stays.
 */
export const nameKey = (name: string): string =>
  String.raw`trim(regexp_replace(regexp_replace(nfc_normalize(${name}), '[\x{200B}\x{2060}\x{FEFF}]', '', 'g'), '[\s\p{Z}]+', ' ', 'g'))`;
