import { z } from 'zod';
import { invalid } from '../../domain/shared/errors.ts';
import type { ListPart } from '../../warehouse/engine/sql/list-part.ts';
import { name } from './fields.ts';

/** The query of every paged list (docs/http.md#what-all-answers-have-in-common). */
export const pageQuery = z.strictObject({
  limit: z.coerce
    .number({ error: 'expected a whole number from 1 to 1000' })
    .int({ error: 'expected a whole number from 1 to 1000' })
    .min(1, { error: 'expected a whole number from 1 to 1000' })
    .max(1000, { error: 'expected a whole number from 1 to 1000' })
    .default(100),
  cursor: z.string().optional().describe('`next_cursor` of the page before'),
});

/** The query of a list of things with unique names. */
export const namedPageQuery = pageQuery.extend({
  name: name
    .optional()
    .describe('Only the one with exactly this name; its encoding and white space do not matter'),
});

/**
 * Reads one page of a list. `read` gets the decoded cursor, and a limit of one row more than the page: the extra row shows
 * that a next page exists. `position` returns what the cursor keeps of the page's last item. A list of long rows may return
 * a page that is shorter than the limit.
 */
export async function page<Item, Position extends z.ZodType>(
  query: { limit: number; cursor?: string | undefined },
  position: Position,
  read: (page: { limit: number; cursor: z.infer<Position> | null }) => Promise<Item[] | ListPart<Item>>,
  positionOf: (item: Item) => z.infer<Position>,
): Promise<{ success: true; data: Item[]; next_cursor: string | null }> {
  const cursor = query.cursor === undefined ? null : decode(query.cursor, position);
  const found = await read({ limit: query.limit + 1, cursor });
  const { items: data, hasMore } = Array.isArray(found)
    ? { items: found.slice(0, query.limit), hasMore: found.length > query.limit }
    : found;
  const last = data.at(-1);
  return {
    success: true,
    data,
    next_cursor: hasMore && last !== undefined ? encode(positionOf(last)) : null,
  };
}

/** Throws for a cursor that no page has returned. For routes that must check it before they look anything up. */
export function checkCursor(query: { cursor?: string | undefined }, position: z.ZodType): void {
  if (query.cursor !== undefined) decode(query.cursor, position);
}

const encode = (position: unknown): string => Buffer.from(JSON.stringify(position)).toString('base64url');

function decode<Position extends z.ZodType>(cursor: string, position: Position): z.infer<Position> {
  try {
    return position.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw invalid(
      `cursor: expected the next_cursor of the page before, got ${JSON.stringify(cursor.slice(0, 80))}`,
    );
  }
}
