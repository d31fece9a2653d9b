/** The most text in the rows of a page, unless one row alone has more. */
export const MOST_PAGE_BYTES = 4 * 2 ** 20;

/** A page of a list of long rows, and whether more rows follow. */
export interface ListPart<Item> {
  items: Item[];
  hasMore: boolean;
}
