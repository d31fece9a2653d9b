import * as z from 'zod/mini';

/** What the address of a source's page holds: the run whose details are open. Without it that is the newest. */
export const sourceSearch = z.object({
  run: z.catch(z.optional(z.string()), undefined),
});
