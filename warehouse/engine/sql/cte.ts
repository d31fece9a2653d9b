/** A common table expression of a statement. */
export interface Cte {
  readonly name: string;
  /** The CTEs that its query reads. */
  readonly needs: readonly Cte[];
  /** The query. */
  readonly sql: string;
}

/** Returns a CTE that reads those of `needs`, none by default. A helper that only it reads has a WITH of its own inside `sql`. */
export const cte = ({ name, needs = [], sql }: Pick<Cte, 'name' | 'sql'> & Partial<Cte>): Cte => ({
  name,
  needs,
  sql,
});

/**
 * Returns the list of a WITH that has some CTEs and all that they need: each once, and after what it reads. Equal arguments give
 * the same text. Throws for two different CTEs of one name.
 */
export function ctes(...wanted: readonly Cte[]): string {
  const listed = new Map<string, Cte>();
  const list = (one: Cte): void => {
    if (listed.get(one.name) === one) return;
    one.needs.forEach(list);
    if ((listed.get(one.name) ?? one).sql !== one.sql)
      throw new Error(`two different CTEs of one statement have the name ${one.name}`);
    listed.set(one.name, one);
  };
  wanted.forEach(list);
  return [...listed.values()].map(({ name, sql }) => `${name} AS (${sql})`).join(',\n');
}
