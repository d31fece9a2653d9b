import { notFound } from '../../domain/shared/errors.ts';

/** Returns the record, or throws a 404 if it is null: another organisation has this id, or nobody does. */
export const found = <Record extends object>(kind: string, id: string, record: Record | null): Record => {
  if (record === null) throw notFound(kind, id);
  return record;
};
