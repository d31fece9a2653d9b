import * as z from 'zod/mini';
import { optional } from '../shared/search-fields.ts';

/** What the address of a source's page holds: the run whose details are open. Without it that is the newest. */
export const sourceSearch = z.object({
  run: optional(z.string()),
});
