/** A common table expression of a statement. */
export interface Cte {
  readonly name: string;
  /** The CTEs that its query reads. */
  readonly needs: readonly Cte[];
  readonly sql: string;
}

/** Returns a CTE. It needs no others by default. A helper that only this CTE reads stays in its `sql`, in a WITH of its own. */
export const cte = ({ name, needs = [], sql }: Pick<Cte, 'name' | 'sql'> & Partial<Cte>): Cte => ({
  name,
  needs,
  sql,
});

/**
 * Returns the list of a WITH with some CTEs and all that they need: each once, and after what it reads. Equal CTEs in the same
 * order give the same text. Throws for two different CTEs with one name.
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
