import type { Sealer } from '../../../security/sealing.ts';
import type { Queries, Session } from '../session.ts';
import { requireOpeningKey } from './require-key.ts';

/** Whose credential it is. */
export interface CredentialOwner {
  kind: 'metric' | 'cost_source';
  id: string;
}

/** A stored credential. Each one that an owner gets has a new id. */
export interface CredentialPlace {
  orgId: string;
  owner: CredentialOwner;
  credentialId: string;
}

/**
 * Credentials are padded to this length, so that each fills blocks of the file of its own. The erasure overwrites those once they
 * are free (erasure.ts).
 */
const PADDED_TO = 8_192;

const sealedPlace = ({ orgId, owner, credentialId }: CredentialPlace) => ({
  orgId,
  record: `${owner.id} ${credentialId}`,
  field: 'import credential',
});

const rowOf = ({ orgId, owner, credentialId }: CredentialPlace) => ({
  org: orgId,
  kind: owner.kind,
  owner: owner.id,
  credential: credentialId,
});

/** Stores the credential of an owner, sealed, and deletes those that the owner had. */
export async function replaceCredential(
  session: Session,
  sealer: Sealer,
  place: CredentialPlace,
  credential: string,
  now: Date,
): Promise<void> {
  await deleteCredentials(session, place.orgId, place.owner, now);
  await requireOpeningKey(session, sealer);
  await session.run(
    `INSERT INTO credentials BY NAME SELECT $org AS org_id, $kind AS owner_kind, $owner AS owner_id,
       $credential AS credential_id, $sealed AS sealed_credential, $now::TIMESTAMP AS stored_at`,
    {
      ...rowOf(place),
      sealed: sealer.seal(sealedPlace(place), credential.padEnd(PADDED_TO)),
      now: now.toISOString(),
    },
  );
}

/** Deletes the stored credentials of an owner. The next maintenance erases what is left of them on disk. */
export async function deleteCredentials(
  session: Session,
  orgId: string,
  { kind, id }: CredentialOwner,
  now: Date,
): Promise<void> {
  const deleted = await session.run(
    'DELETE FROM credentials WHERE org_id = $org AND owner_kind = $kind AND owner_id = $owner',
    { org: orgId, kind, owner: id },
  );
  if (deleted > 0)
    await session.run('INSERT INTO erasures BY NAME SELECT $org AS org_id, $now::TIMESTAMP AS requested_at', {
      org: orgId,
      now: now.toISOString(),
    });
}

/** Returns a credential; null if it cannot be opened, and undefined if it was replaced or deleted. */
export async function findCredential(
  warehouse: Queries,
  sealer: Sealer,
  place: CredentialPlace,
): Promise<string | null | undefined> {
  const [row] = await warehouse.query<{ sealed_credential: string }>(
    `SELECT sealed_credential FROM credentials
     WHERE org_id = $org AND owner_kind = $kind AND owner_id = $owner AND credential_id = $credential`,
    rowOf(place),
  );
  if (row === undefined) return undefined;
  return sealer.openOrNull(sealedPlace(place), row.sealed_credential)?.trimEnd() ?? null;
}
