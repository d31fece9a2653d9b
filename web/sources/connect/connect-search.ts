import * as z from 'zod/mini';
import { optional } from '../../shared/search-fields.ts';
import { PLACE_NAMES } from './place-names.ts';

/** What the address of the form has: where the spend is, and how it comes from there. Never what people fill in. */
export const connectSearch = z.object({
  from: optional(z.enum(PLACE_NAMES)),
  by: optional(z.string()),
});
