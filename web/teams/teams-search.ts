import * as z from 'zod/mini';
import { oneOf, optional } from '../shared/search-fields.ts';

const month = optional(z.string().check(z.regex(/^\d{4}-(0[1-9]|1[0-2])$/)));

/** What the address of the teams page holds. Without a month it shows the newest complete one. */
export const teamsSearch = z.object({
  month,
  show: oneOf(['bills', 'shared-costs']),
});

/** What the address of a team's page holds. Without a month it shows the newest complete one. */
export const teamSearch = z.object({
  month,
  show: oneOf(['bills', 'ownership']),
});
