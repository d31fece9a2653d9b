/**
 * By what two names are the same to the eye, as SQL: composed letters, without zero-width characters, every run of white
 * space (no-break space, too) one space. Letter case stays.
 */
export const nameKey = (name: string): string =>
  String.raw`trim(regexp_replace(regexp_replace(nfc_normalize(${name}), '[\x{200B}\x{2060}\x{FEFF}]', '', 'g'), '[\s\p{Z}]+', ' ', 'g'))`;
