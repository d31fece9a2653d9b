/** A step of the schema, which runs once in a transaction of its own. */
export interface Migration {
  version: number;
  name: string;
  statements: readonly string[];
}
