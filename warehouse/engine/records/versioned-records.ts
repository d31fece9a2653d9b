import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../../domain/organisations/actor.ts';
import { conflict } from '../../../domain/shared/errors.ts';
import { forMessage } from '../../../domain/shared/text/for-message.ts';
import { audit, type AuditedThing } from './audit-log.ts';
import { refuseTooMuchDefined } from './defined-text.ts';
import { idAfter } from '../sql/ids.ts';
import { instant } from '../sql/instant.ts';
import { nameKey } from '../sql/name-key.ts';
import type { Queries, Session } from '../session.ts';
import type { Parameter } from '../sql/parameters.ts';
import type { Warehouse } from '../warehouse.ts';

/** The author and the time of a change. */
export interface By<Author extends Actor = Actor> {
  actor: Author;
  now: Date;
}

type ColumnType = 'VARCHAR' | 'VARCHAR[]' | 'BOOLEAN' | 'DECIMAL(38,10)' | 'DATE' | 'TIMESTAMP' | 'JSON';

interface Definition<Thing> {
  /** The name in the audit log and in the table `<name>_versions`. */
  name: AuditedThing;
  /** The view of the newest versions, and the column of the thing's id. */
  view: string;
  idColumn: string;
  columns: Record<Exclude<keyof Thing & string, 'id'>, ColumnType>;
  /** Returns the locks of a change, besides that of the organisation's definitions. */
  locks: (orgId: string, id: string) => readonly string[];
  /**
   * Work in the transaction of each change. Throws to reject the change, and writes related rows. Calls `store` once, which writes
   * the version.
   */
  around?: (
    session: Session,
    orgId: string,
    next: NextVersion<Thing>,
    store: () => Promise<void>,
  ) => Promise<void>;
  /** Adds what a stored thing leaves out. */
  complete?: (stored: Thing) => Thing;
  /** Returns what the audit log records of changed fields: all of them, unless one may hold a credential. */
  auditDetail?: (thing: Thing, fields: Partial<Thing>) => Record<string, unknown>;
}

/** The version that a change is about to store. */
export interface NextVersion<Thing> {
  thing: Thing;
  before: Thing | null;
  deleted: boolean;
  now: Date;
}

/** A part of a list: the things after `cursor`, and with `name` only the one that has it, in any encoding (name-key.ts). */
export interface ListedThings {
  limit: number;
  cursor: string | null;
  name?: string | undefined;
}

/** Reads stored things whose changes need more than a version, so that only their own file changes them. */
export type ReadOnly<Thing extends { id: string }> = Pick<Versions<Thing>, 'find' | 'list'>;

/** More than any organisation has. */
const ALL = 1_000_000;

/**
 * Stores things that an organisation creates, changes and deletes, as a log of versions. The newest version is the current state
 * (docs/design.md#rows-are-only-inserted). The audit log records every change. Names are unique in an organisation. All
 * definitions of an organisation together have a size limit (defined-text.ts).
 */
export class Versions<Thing extends { id: string }> {
  readonly #definition: Definition<Thing>;
  readonly #columns: readonly (readonly [name: string, type: ColumnType])[];
  readonly #select: string;
  readonly #selectNewest: string;
  readonly #insert: string;

  constructor(definition: Definition<Thing>) {
    const { name, view, idColumn, columns } = definition;
    this.#definition = definition;
    this.#columns = Object.entries<ColumnType>(columns);
    const names = this.#columns.map(([column]) => column);
    const select = `SELECT ${[`${idColumn} AS id`, ...names, 'version_id'].join(', ')}`;
    this.#select = `${select} FROM ${view} WHERE org_id = $org`;
    // The view would sort the texts of all versions. This statement only scans them.
    const ofThing = `FROM ${name}_versions WHERE org_id = $org AND ${idColumn} = $id`;
    this.#selectNewest = `${select} ${ofThing} AND version_id = (SELECT max(version_id) ${ofThing}) AND NOT deleted`;
    const values = this.#columns.map(([column, type]) => `$${column}::${type} AS ${column}`);
    this.#insert = `INSERT INTO ${name}_versions BY NAME SELECT $org AS org_id, $id AS ${idColumn},
      $version::UUID AS version_id, ${values.join(', ')}, $deleted::BOOLEAN AS deleted, $now::TIMESTAMP AS changed_at,
      $actor AS changed_by`;
  }

  /** Returns the organisation's thing with this id, or null. */
  async find(querier: Queries, orgId: string, id: string): Promise<Thing | null> {
    return (await this.#newest(querier, orgId, id))?.thing ?? null;
  }

  /** Returns a part of the organisation's things, oldest first, or all of them without a page. */
  async list(
    querier: Queries,
    orgId: string,
    { name, ...page }: ListedThings = { limit: ALL, cursor: null },
  ): Promise<Thing[]> {
    const { idColumn } = this.#definition;
    const named = name === undefined ? '' : `AND ${nameKey('name')} = ${nameKey('$name')}`;
    const rows = await querier.query<Record<string, unknown>>(
      `${this.#select} AND ${idColumn} > coalesce($cursor, '') ${named} ORDER BY ${idColumn} LIMIT $limit`,
      { org: orgId, ...page, ...(name === undefined ? {} : { name }) },
    );
    return rows.map((row) => this.#thingOf(row));
  }

  /** Stores a new thing and returns it. Throws a conflict if another thing has its name, and whatever `around` throws. */
  create(warehouse: Warehouse, orgId: string, thing: Thing, by: By): Promise<Thing> {
    return this.locked(warehouse, orgId, thing.id, (session) => this.createIn(session, orgId, thing, by));
  }

  /** Like {@link create}, in a transaction of the caller, who holds the locks of {@link locked}. */
  async createIn(session: Session, orgId: string, thing: Thing, by: By): Promise<Thing> {
    const next = { thing, before: null, deleted: false, now: by.now };
    await this.#store(session, orgId, next, null, by.actor, thing);
    return thing;
  }

  /**
   * Changes or deletes a thing, and returns its new (or last) state, or null if it does not exist. Stores no version if nothing
   * changes. Throws a conflict if another thing has the new name, and whatever `around` throws.
   */
  change(
    warehouse: Warehouse,
    orgId: string,
    id: string,
    changes: Partial<Thing> | 'delete',
    by: By,
  ): Promise<Thing | null> {
    return this.locked(warehouse, orgId, id, (session) => this.changeIn(session, orgId, id, changes, by));
  }

  /**
   * Like {@link change}, in a transaction of the caller, who holds the locks of {@link locked}.
   *
   * @param detail what the audit log records in addition to the fields. With it, a version is stored even if nothing changes.
   */
  async changeIn(
    session: Session,
    orgId: string,
    id: string,
    changes: Partial<Thing> | 'delete',
    by: By,
    detail?: Record<string, unknown>,
  ): Promise<Thing | null> {
    const current = await this.#newest(session, orgId, id);
    if (current === null) return null;
    const deleted = changes === 'delete';
    const thing = deleted ? current.thing : { ...current.thing, ...changes };
    if (!deleted && detail === undefined && isDeepStrictEqual(thing, current.thing)) return thing;
    const next = { thing, before: current.thing, deleted, now: by.now };
    await this.#store(session, orgId, next, current.version, by.actor, deleted ? {} : changes, detail);
    return thing;
  }

  /** Runs `work` in a transaction, under the locks of a change of a thing. */
  locked<Result>(
    warehouse: Warehouse,
    orgId: string,
    id: string,
    work: (session: Session) => Promise<Result>,
  ): Promise<Result> {
    return warehouse.lockedTransaction([definitionsLock(orgId), ...this.#definition.locks(orgId, id)], work);
  }

  async #newest(
    querier: Queries,
    orgId: string,
    id: string,
  ): Promise<{ thing: Thing; version: string } | null> {
    const [row] = await querier.query<Record<string, unknown> & { version_id: string }>(this.#selectNewest, {
      org: orgId,
      id,
    });
    return row === undefined ? null : { thing: this.#thingOf(row), version: row.version_id };
  }

  #thingOf(row: Record<string, unknown>): Thing {
    const fields = this.#columns.map(([column, type]) => [column, read(type, row[column])] as const);
    const thing = { id: row['id'], ...Object.fromEntries(fields) } as Thing;
    return this.#definition.complete?.(thing) ?? thing;
  }

  /** Throws a conflict with the id of another thing that has the name, in any encoding (name-key.ts). */
  async #refuseTakenName(session: Session, orgId: string, id: string, taken: unknown): Promise<void> {
    const { name, idColumn } = this.#definition;
    // The view would sort all versions.
    const [other] = await session.query<{ id: string }>(
      `SELECT min(${idColumn}) AS id FROM (
         SELECT ${idColumn}, arg_max(name, version_id) AS name, arg_max(deleted, version_id) AS deleted
         FROM ${name}_versions WHERE org_id = $org AND ${idColumn} <> $id GROUP BY ${idColumn})
       WHERE NOT deleted AND ${nameKey('name')} = ${nameKey('$name')} HAVING count(*) > 0`,
      { org: orgId, id, name: taken as string },
    );
    if (other !== undefined)
      throw conflict(
        `name: expected a name that no other ${name.replace('_', ' ')} has, got ${forMessage(taken)}, the name of ${other.id}`,
      );
  }

  async #store(
    session: Session,
    orgId: string,
    next: NextVersion<Thing>,
    newest: string | null,
    actor: Actor,
    fields: Partial<Thing>,
    detail: Record<string, unknown> = {},
  ): Promise<void> {
    const { name, around, auditDetail = namedAnd } = this.#definition;
    const { thing, before, deleted, now } = next;
    const values = thing as Record<string, unknown>;
    if (!deleted && nameOf(thing) !== nameOf(before))
      await this.#refuseTakenName(session, orgId, thing.id, nameOf(thing));
    const store = async (): Promise<void> => {
      await session.run(this.#insert, {
        ...Object.fromEntries(this.#columns.map(([column, type]) => [column, written(type, values[column])])),
        org: orgId,
        id: thing.id,
        version: idAfter(newest),
        deleted,
        now: now.toISOString(),
        actor: actor.id,
      });
    };
    await (around === undefined ? store() : around(session, orgId, next, store));
    if (!deleted && lengthOf(thing) > lengthOf(before)) await refuseTooMuchDefined(session, orgId);
    const action = `${name}.${before === null ? 'create' : deleted ? 'delete' : 'update'}` as const;
    const { id: _, ...set } = auditDetail(thing, fields);
    await audit(session, orgId, { actor, action, target: thing.id, detail: { ...set, ...detail } }, now);
  }
}

/** The lock under which definitions change. All share it, because names are unique and the total size is limited. */
export const definitionsLock = (orgId: string): string => `definitions ${orgId}`;

const nameOf = (thing: object | null): unknown => (thing !== null && 'name' in thing ? thing.name : null);

const lengthOf = (thing: object | null): number => JSON.stringify(thing).length;

const namedAnd = (thing: object, fields: object): Record<string, unknown> =>
  'name' in thing ? { name: thing.name, ...fields } : { ...fields };

function read(type: ColumnType, stored: unknown): unknown {
  if (type === 'JSON') return JSON.parse(stored as string) as unknown;
  return type === 'TIMESTAMP' ? instant(stored as string) : stored;
}

const written = (type: ColumnType, value: unknown): Parameter =>
  type === 'JSON' ? JSON.stringify(value) : (value as Parameter);
