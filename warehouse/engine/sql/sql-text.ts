/** Returns a string literal, for texts of the service's own and for statements that take no bound values, like ATTACH and SET. */
export const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Returns string literals in parentheses: `('a', 'b')`. */
export const sqlTexts = (texts: readonly string[]): string => `(${texts.map(sqlText).join(', ')})`;
