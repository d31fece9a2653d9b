import * as z from 'zod/mini';
import { optional } from '../../shared/search-fields.ts';
import { PLACES, type Place } from './ways.ts';

/** What the address of the form has: where the spend is, and how it comes from there. Never what people fill in. */
export const connectSearch = z.object({
  from: optional(z.enum(Object.keys(PLACES) as [Place, ...Place[]])),
  by: optional(z.string()),
});
