import { notFound } from '../../domain/shared/errors.ts';

/** Returns the record, or throws a 404 if it is null: another organisation has this id, or nobody does. */
export function found<Found extends object>(kind: string, id: string, record: Found | null): Found {
  if (record === null) throw notFound(kind, id);
  return record;
}
