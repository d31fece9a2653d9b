/** Text of the rows of a page, unless one row alone has more. */
export const MOST_PAGE_BYTES = 4 * 2 ** 20;

/** What a list of long rows reads for a page, and whether more follow. */
export interface ListPart<Item> {
  items: Item[];
  hasMore: boolean;
}
