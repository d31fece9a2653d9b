import { z } from 'zod';

/** A query or body without fields. Errors name the unknown fields. */
export const noFields = z.strictObject({});

/** The schema for the body of a route that takes none: it also accepts null and an empty object. */
export const noBody = noFields.nullish();

/** Returns the schema of an answer with one thing. */
export const successOf = <Data extends z.ZodType>(data: Data) => z.object({ success: z.literal(true), data });

/** Returns the schema of a page of a list. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ success: z.literal(true), data: z.array(item), next_cursor: z.string().nullable() });

/** The answer of a route that answers only files. */
export const file = z.string().meta({ format: 'binary' });

/** The envelope of a success (docs/http.md#what-all-answers-have-in-common). */
export const success = <Data>(data: Data): { success: true; data: Data } => ({ success: true, data });
