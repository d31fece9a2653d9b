/** Returns a string literal for the few statements that take no bound values: ATTACH, LOAD, SET, CREATE SECRET. */
export const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Returns string literals in parentheses: `('a', 'b')`. */
export const sqlTexts = (texts: readonly string[]): string => `(${texts.map(sqlText).join(', ')})`;
