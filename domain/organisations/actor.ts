/** How the holder of a key acts, if not by sending the key to the API: through the AI assistant or a browser session. */
export type Through = 'assistant' | 'session';

interface ActorOf<Type extends string> {
  type: Type;
  id: string;
  name: string;
}

/** Who calls the API: locks months, seals bills, and decides about units. It is a key of the organisation. */
export interface ApiActor extends ActorOf<'key'> {
  /** Absent if the key itself was sent. The audit log adds it to the detail. */
  through?: Through;
}

/** Who changes values of metrics: a caller of the API, or a run of an import. */
export type ValueActor = ApiActor | ActorOf<'import'>;

/** Who does something to an organisation: the above, the operator, or the endpoint of a webhook. */
export type Actor = ValueActor | ActorOf<'operator'> | ActorOf<'webhook'>;

/** The types of actors, as the audit log names them. */
export const ACTOR_TYPES = {
  key: 'key',
  import: 'import',
  operator: 'operator',
  webhook: 'webhook',
} as const satisfies { [Type in Actor['type']]: Type };

/** The operator, and the service when it acts by itself. */
export const OPERATOR: Actor = { type: 'operator', id: 'operator', name: 'operator' };

/**
 * Returns the author of a stored lock, seal or decision. Their rows have no type of their author. A second type of `ApiActor` needs
 * a column in each of their tables.
 */
export const decidedBy = (id: string, name: string): ApiActor => ({ type: 'key', id, name });
