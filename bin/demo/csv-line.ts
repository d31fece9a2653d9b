/** A value as RFC 4180 wants it. */
const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** A line of CSV with its line end. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\n`;
