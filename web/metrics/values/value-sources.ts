import type { Schema } from '../../http/api.ts';

/** Where values come from, in words. */
export const SOURCES_OF_VALUES: Record<Schema<'Value'>['source'], string> = {
  hand: 'by hand',
  csv: 'from a CSV file',
  api: 'through the API',
  warehouse: 'from the warehouse',
  payments: 'from payments',
};
