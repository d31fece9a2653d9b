import { isNumberText } from './sent-value.ts';

/**
 * The fields of one CSV record, which may hold line breaks within quotes (RFC 4180), or null when its quotes are
 * broken: one that never ends, one inside a field that does not begin with one, or text after the closing one.
 */
export const csvFields = (record: string): string[] | null => {
  const fields: string[] = [];
  for (let at = 0; ; at += 1) {
    if (record[at] === '"') {
      let field = '';
      for (;;) {
        const quote = record.indexOf('"', at + 1);
        if (quote === -1) return null;
        field += record.slice(at + 1, quote);
        at = quote + 1;
        if (record[at] !== '"') break;
        field += '"';
      }
      if (at < record.length && record[at] !== ',') return null;
      fields.push(field);
    } else {
      const comma = record.indexOf(',', at);
      const field = record.slice(at, comma === -1 ? record.length : comma);
      if (field.includes('"')) return null;
      fields.push(field);
      at += field.length;
    }
    if (at >= record.length) return fields;
  }
};

/** Whether a file's first record is its header: it begins with no digit and ends with no number (spec §2, CSV format). */
export const isHeader = (fields: readonly string[]): boolean =>
  !/^\d/.test(fields[0] ?? '') && !isNumberText(fields.at(-1) ?? '');
