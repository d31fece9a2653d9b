import { sqlText } from './sql-text.ts';

/** What JavaScript's `trim` removes, without control characters, which no stored text has. */
const WHITE_SPACE =
  ' \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

/**
 * Returns a text in its normal form as SQL, like `normalText` (domain/shared/text/normal-text.ts). Most texts are ASCII, whose form is
 * normal, and for which a plain trim is eight times as fast.
 */
export const normalTextSql = (text: string): string =>
  `CASE WHEN strlen(${text}) = length(${text}) THEN trim(${text}) ELSE nfc_normalize(trim(${text}, ${sqlText(WHITE_SPACE)})) END`;
