import * as z from 'zod/mini';

const month = z.catch(z.optional(z.string().check(z.regex(/^\d{4}-(0[1-9]|1[0-2])$/))), undefined);

/** What the address of the teams page holds. Without a month it shows the newest complete one. */
export const teamsSearch = z.object({
  month,
  show: z._default(z.catch(z.enum(['bills', 'shared-costs']), 'bills'), 'bills'),
});

/** What the address of a team's page holds. Without a month it shows the newest complete one. */
export const teamSearch = z.object({
  month,
  show: z._default(z.catch(z.enum(['bills', 'ownership']), 'bills'), 'bills'),
});
