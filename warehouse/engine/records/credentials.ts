import type { Sealer } from '../../../security/sealing.ts';
import type { Queries, Session } from '../session.ts';
import { requireOpeningKey } from './require-key.ts';

/** A stored credential of a metric's import. Each one that a metric gets has a new id. */
export interface CredentialPlace {
  orgId: string;
  metricId: string;
  credentialId: string;
}

/**
 * Credentials are padded to this length, so that each fills blocks of the file of its own. The erasure overwrites those once they
 * are free (erasure.ts).
 */
const PADDED_TO = 8_192;

const sealedPlace = ({ orgId, metricId, credentialId }: CredentialPlace) => ({
  orgId,
  record: `${metricId} ${credentialId}`,
  field: 'import credential',
});

const rowOf = ({ orgId, metricId, credentialId }: CredentialPlace) => ({
  org: orgId,
  owner: metricId,
  credential: credentialId,
});

/** Stores the credential of a metric, sealed, and deletes those that the metric had. */
export async function replaceCredential(
  session: Session,
  sealer: Sealer,
  place: CredentialPlace,
  credential: string,
  now: Date,
): Promise<void> {
  await deleteCredentials(session, place.orgId, place.metricId, now);
  await requireOpeningKey(session, sealer);
  await session.run(
    `INSERT INTO credentials BY NAME SELECT $org AS org_id, 'metric' AS owner_kind, $owner AS owner_id,
       $credential AS credential_id, $sealed AS sealed_credential, $now::TIMESTAMP AS stored_at`,
    {
      ...rowOf(place),
      sealed: sealer.seal(sealedPlace(place), credential.padEnd(PADDED_TO)),
      now: now.toISOString(),
    },
  );
}

/** Deletes the stored credentials of a metric. The next maintenance erases what is left of them on disk. */
export async function deleteCredentials(
  session: Session,
  orgId: string,
  metricId: string,
  now: Date,
): Promise<void> {
  const deleted = await session.run(
    `DELETE FROM credentials WHERE org_id = $org AND owner_kind = 'metric' AND owner_id = $owner`,
    { org: orgId, owner: metricId },
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
     WHERE org_id = $org AND owner_kind = 'metric' AND owner_id = $owner AND credential_id = $credential`,
    rowOf(place),
  );
  if (row === undefined) return undefined;
  return sealer.openOrNull(sealedPlace(place), row.sealed_credential)?.trimEnd() ?? null;
}
