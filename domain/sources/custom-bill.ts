import { z } from 'zod';
import { normalText } from '../shared/text/normal-text.ts';

const COLUMN = 'expected the name of a column of the files';

const column = z.string({ error: COLUMN }).trim().min(1, { error: COLUMN }).max(500, { error: COLUMN });

const NAME = 'expected a text of 1 to 200 characters';

const text = z
  .string({ error: NAME })
  .overwrite(normalText)
  // eslint-disable-next-line no-control-regex -- a name has no control characters
  .regex(/^[^\x00-\x1f\x7f-\x9f]{1,200}$/, { error: NAME });

/** Which column of the files has what. */
const columns = z.strictObject(
  {
    cost: column,
    day: column.describe(
      'The day of a charge, an instant, or a month as YYYY-MM, which is spread over its days',
    ),
    last_day: column.optional().describe('The last day of a charge that spans days, over which it is spread'),
    end: column.optional().describe('When a charge ends, exclusive, in place of last_day'),
    billing_period: column
      .optional()
      .describe('A day or month of the bill; without it, the month of the day'),
    provider: column.optional(),
    account: column.optional(),
    account_name: column.optional(),
    service: column.optional(),
    resource: column.optional(),
    resource_name: column.optional(),
    zone: column.optional(),
    resource_group: column.optional(),
    tags: column.optional().describe('Tags as a JSON object, a MAP or a list of keys and values'),
    currency: column.optional(),
  },
  { error: 'expected the columns of the files, at least cost and day' },
);

/** What rows have that name nothing else. */
const defaults = z.strictObject({
  provider: text.optional(),
  account: text.optional(),
  currency: z
    .string({ error: 'expected a currency such as "USD"' })
    .regex(/^[A-Z]{3}$/, { error: 'expected a currency such as "USD"' })
    .optional()
    .describe("Without it, amounts are in the organisation's currency"),
});

/** How days with slashes are read, which can be meant in two ways. */
const dayFormat = z.enum(['MM/DD/YYYY', 'DD/MM/YYYY']);

/** The options of a bill of any other vendor, beside those of every bill. */
export const CUSTOM_OPTIONS = {
  columns,
  defaults: defaults.default({}),
  day_format: dayFormat.optional().describe('How days such as 01/02/2026 are read'),
};

export type CustomColumns = z.infer<typeof columns>;

/** What reads a bill of another vendor. */
export interface CustomBill {
  columns: CustomColumns;
  defaults: z.infer<typeof defaults>;
  day_format?: z.infer<typeof dayFormat> | undefined;
}

/** Adds an issue if the rows of a bill would have no cloud or no account, or two ends. */
export function checkCustom(
  { columns: own, defaults: others }: Pick<CustomBill, 'columns' | 'defaults'>,
  context: z.RefinementCtx,
): void {
  if (own.last_day !== undefined && own.end !== undefined)
    context.addIssue({
      code: 'custom',
      path: ['columns', 'end'],
      message: 'expected last_day or end, got both',
    });
  for (const name of ['provider', 'account'] as const)
    if (own[name] === undefined && others[name] === undefined)
      context.addIssue({
        code: 'custom',
        path: ['defaults', name],
        message: `expected columns.${name} or defaults.${name}, so that each row has ${name === 'account' ? 'an account' : 'a provider'}`,
      });
}
