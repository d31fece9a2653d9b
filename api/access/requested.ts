import type { FastifyRequest } from 'fastify';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import { found } from '../http/found.ts';
import { callerOf } from './authentication.ts';

/** Returns what the id in a request's path names in the caller's organisation. Throws a 404 if there is nothing. */
export async function requested<Record extends object>(
  kind: string,
  records: { find: (warehouse: Warehouse, orgId: string, id: string) => Promise<Record | null> },
  warehouse: Warehouse,
  request: FastifyRequest<{ Params: { id: string } }>,
): Promise<Record> {
  const { id } = request.params;
  return found(kind, id, await records.find(warehouse, callerOf(request).organisation.id, id));
}
