import { z } from 'zod';
import { PERMISSIONS } from '../../domain/organisations/permissions.ts';
import { TIERS } from '../../domain/organisations/tiers.ts';
import { NO_CONTROL_CHARACTERS, ONE_LINE } from '../../domain/shared/text/control-characters.ts';
import { normalText } from '../../domain/shared/text/normal-text.ts';

/** A UTC day on the wire. */
export const day = z.iso.date({ error: 'expected a day as YYYY-MM-DD' });

/** A UTC month on the wire. */
export const month = z
  .string({ error: 'expected a month as YYYY-MM' })
  .regex(/^\d{4}-(0[1-9]|1[0-2])$/, { error: 'expected a month as YYYY-MM' });

/** An instant in answers. */
export const instant = z.string().meta({ format: 'date-time' });

/** A name that people choose. */
export const name = z
  .string({ error: 'expected a text of 1 to 200 characters' })
  .overwrite(normalText)
  .min(1, { error: 'expected a text of 1 to 200 characters' })
  .max(200, { error: 'expected a text of 1 to 200 characters' })
  .regex(ONE_LINE, { error: NO_CONTROL_CHARACTERS });

export const permission = z.enum(PERMISSIONS);
export const tier = z.enum(TIERS);

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

/** An ISO 4217 currency code. */
export const currency = z
  .string({ error: 'expected an ISO 4217 currency code such as "USD"' })
  .refine((code) => CURRENCIES.has(code), { error: 'expected an ISO 4217 currency code such as "USD"' });

/** Full days after a month's end until its bills count as settled. */
export const settleDays = z
  .number({ error: 'expected a whole number of days from 0 to 28' })
  .int({ error: 'expected a whole number of days from 0 to 28' })
  .min(0, { error: 'expected a whole number of days from 0 to 28' })
  .max(28, { error: 'expected a whole number of days from 0 to 28' });

/** A key and its organisation, as the caller sees them. */
export const identity = z.object({
  organisation: z.object({ id: z.string(), name: z.string(), tier, currency: z.string() }),
  key: z.object({ id: z.string(), name: z.string(), permission, expires_at: instant.nullable() }),
});

/** The parameters of a path with one id. */
export const idParams = z.strictObject({ id: z.string() });

export const organisation = z
  .object({ id: z.string(), name: z.string(), tier, currency: z.string(), settle_days: z.number() })
  .meta({ id: 'Organisation' });
