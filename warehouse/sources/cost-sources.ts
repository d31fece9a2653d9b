import type { Day } from '../../domain/shared/calendar.ts';
import { invalid, Outage } from '../../domain/shared/errors.ts';
import {
  haveOwnKey,
  hintOf,
  type Credentials,
  type CredentialType,
  type ShownCredentials,
} from '../../domain/sources/credentials.ts';
import { KIND_OPTIONS, type OptionsOf } from '../../domain/sources/kind-options.ts';
import type { Kind } from '../../domain/sources/kinds.ts';
import type { Sealer } from '../../security/sealing.ts';
import {
  deleteCredentials,
  findCredential,
  replaceCredential,
  type CredentialOwner,
} from '../engine/records/credentials.ts';
import type { Queries, Session } from '../engine/session.ts';
import { idAfter, newId } from '../engine/sql/ids.ts';
import { Versions, type By, type ReadOnly } from '../engine/records/versioned-records.ts';
import type { Warehouse } from '../engine/warehouse.ts';

/** Which credentials a source has (credentials.ts). */
export interface SourceCredential extends ShownCredentials {
  /** Identifies the stored credentials. */
  id: string;
  /** Whether they sign with a key of the source, and not with the operator's. */
  own: boolean;
}

interface SourceBase {
  id: string;
  name: string;
  /** The files to read, or for `opencost` also the base URL of an API. */
  location: string;
  currency: string | null;
  schedule_paused: boolean;
  /** The source had no spend before this day; null: not known. */
  starts_on: Day | null;
  /** Null without credentials of its own. */
  credential: SourceCredential | null;
}

type KindAndOptions<K extends Kind> = { [Of in K]: { kind: Of; options: OptionsOf<Of> } }[K];

/** A source of an organisation's spend, of some kinds (docs/http.md#connect-a-cost-source). */
export type CostSourceOf<K extends Kind> = SourceBase & KindAndOptions<K>;

/** A source of an organisation's spend, of any kind. */
export type CostSource = CostSourceOf<Kind>;

/** Credentials are given apart, because they are stored sealed. */
type Given = Omit<SourceBase, 'id' | 'credential'>;

export type NewCostSource = Given & KindAndOptions<Kind>;

/** The fields of a cost source that can change; options are those of its kind. */
export type CostSourceChanges = Partial<Given> & { options?: OptionsOf<Kind> };

const STORED = new Versions<CostSource>({
  name: 'cost_source',
  view: 'cost_sources',
  idColumn: 'source_id',
  columns: {
    name: 'VARCHAR',
    kind: 'VARCHAR',
    location: 'VARCHAR',
    currency: 'VARCHAR',
    options: 'JSON',
    schedule_paused: 'BOOLEAN',
    starts_on: 'DATE',
    credential: 'JSON',
  },
  locks: (_orgId, id) => [`source ${id}`],
  // A change replaces the options as a whole, and may leave out what has a default.
  complete: (source) =>
    ({ ...source, options: { ...KIND_OPTIONS[source.kind].defaults, ...source.options } }) as CostSource,
  // The audit log gets no locations, because they may hold a credential.
  auditDetail: ({ name, kind }, fields) => ({
    name,
    kind,
    set: Object.keys(fields).filter((key) => key !== 'id'),
  }),
});

export const COST_SOURCES: ReadOnly<CostSource> = STORED;

/** Credentials to store, and what seals them. */
export interface NewCredentials {
  sealer: Sealer;
  credentials: Credentials;
}

/** Stores a new source, and its credentials if it is given any. */
export const createCostSource = (
  warehouse: Warehouse,
  orgId: string,
  source: NewCostSource,
  by: By,
  id: string = newId('src'),
  given: NewCredentials | null = null,
): Promise<CostSource> =>
  STORED.locked(warehouse, orgId, id, async (session) =>
    STORED.createIn(
      session,
      orgId,
      {
        id,
        ...source,
        credential: given && (await storeCredentials(session, orgId, id, null, given, by.now)),
      },
      by,
    ),
  );

/**
 * Changes or deletes a cost source. Returns its new state (or its last), or null if there is no such source. The spend of a
 * deleted source no longer counts, except in locked months. Its credentials are deleted with it.
 */
export const updateCostSource = (
  warehouse: Warehouse,
  orgId: string,
  sourceId: string,
  changes: CostSourceChanges | 'delete',
  by: By,
): Promise<CostSource | null> =>
  STORED.locked(warehouse, orgId, sourceId, async (session) => {
    if (changes === 'delete') await deleteCredentials(session, orgId, ownerOf(sourceId), by.now);
    return STORED.changeIn(session, orgId, sourceId, changes as Partial<CostSource> | 'delete', by);
  });

/** Replaces the credentials of a source, or removes them. Returns its new state, or null if there is no such source. */
export const replaceCredentials = (
  warehouse: Warehouse,
  orgId: string,
  sourceId: string,
  given: NewCredentials | null,
  by: By,
): Promise<CostSource | null> =>
  STORED.locked(warehouse, orgId, sourceId, async (session) => {
    const before = await STORED.find(session, orgId, sourceId);
    if (before === null) return null;
    if (given === null) await deleteCredentials(session, orgId, ownerOf(sourceId), by.now);
    const credential =
      given && (await storeCredentials(session, orgId, sourceId, before.credential, given, by.now));
    return STORED.changeIn(session, orgId, sourceId, { credential }, by);
  });

async function storeCredentials(
  session: Session,
  orgId: string,
  sourceId: string,
  before: SourceCredential | null,
  { sealer, credentials }: NewCredentials,
  now: Date,
): Promise<SourceCredential> {
  const id = idAfter(before?.id ?? null);
  const place = { orgId, owner: ownerOf(sourceId), credentialId: id };
  await replaceCredential(session, sealer, place, JSON.stringify(credentials), now);
  return {
    id,
    type: credentials.type,
    hint: hintOf(credentials),
    own: haveOwnKey(credentials),
    set_at: now.toISOString(),
  };
}

/** Returns the type of the credentials that open the buckets of a source without the operator's; null without any. */
export const ownTypeOf = ({ credential }: Pick<CostSource, 'credential'>): CredentialType | null =>
  credential?.own === true ? credential.type : null;

/** Why a source with credentials cannot be read, and the way out. */
const UNREADABLE =
  'the stored credentials cannot be opened: set them again, or ask the operator for the MASTER_KEY that sealed them';

/**
 * Returns the credentials of a source, or null if it has none.
 *
 * @throws ServiceError `invalid` if they cannot be opened.
 * @throws Outage if they were replaced or deleted since the source was read.
 */
export async function credentialsOfSource(
  warehouse: Queries,
  sealer: Sealer,
  orgId: string,
  { id, credential }: Pick<CostSource, 'id' | 'credential'>,
): Promise<Credentials | null> {
  if (credential === null) return null;
  const place = { orgId, owner: ownerOf(id), credentialId: credential.id };
  const stored = await findCredential(warehouse, sealer, place);
  if (stored === undefined) throw new Outage(`the credentials of ${id} were replaced or removed meanwhile`);
  if (stored === null) throw invalid(UNREADABLE);
  return JSON.parse(stored) as Credentials;
}

const ownerOf = (sourceId: string): CredentialOwner => ({ kind: 'cost_source', id: sourceId });
