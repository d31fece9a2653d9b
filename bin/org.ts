import { z } from 'zod';
import { organisation } from '../api/http/fields.ts';
import { keyRecord, newKeyRecord } from '../api/organisations/keys.ts';
import { createdOrganisation } from '../api/operator/operator.ts';
import { organisationContents, organisationDeletion } from '../api/operator/delete-organisation.ts';
import { call, type ServiceAccess } from './service-client.ts';

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

const line = ({ id, name, tier, currency, settle_days }: z.infer<typeof organisation>): string =>
  `${id}  ${tier.padEnd(12)} ${currency}  settles after ${settle_days} days  ${name}`;

function sayKey({ secret }: z.infer<typeof newKeyRecord>): void {
  say(`admin key (shown this once): ${secret}`);
}

/** `org create`: creates an organisation, and shows its first admin key only this once. */
export async function createOrganisation(
  access: ServiceAccess,
  options: { name: string; tier: string; currency: string; settleDays?: number; json?: boolean },
): Promise<void> {
  const created = await call(access, createdOrganisation, {
    method: 'POST',
    path: '/operator/organisations',
    body: {
      name: options.name,
      tier: options.tier,
      currency: options.currency,
      settle_days: options.settleDays,
    },
  });
  if (options.json === true) {
    say(JSON.stringify(created));
    return;
  }
  say(line(created.organisation));
  sayKey(created.key);
  say(`folder for its exports: ${created.source_folder}`);
}

/** `org list`: lists all organisations. */
export async function listOrganisations(access: ServiceAccess, options: { json?: boolean }): Promise<void> {
  const organisations = await call(access, z.array(organisation), {
    method: 'GET',
    path: '/operator/organisations',
  });
  if (options.json === true) say(JSON.stringify(organisations));
  else for (const each of organisations) say(line(each));
}

/** `org set`: changes an organisation's name, tier or settle days. */
export async function setOrganisation(
  access: ServiceAccess,
  options: { id: string; name?: string; tier?: string; settleDays?: number; json?: boolean },
): Promise<void> {
  const changed = await call(access, organisation, {
    method: 'PATCH',
    path: `/operator/organisations/${encodeURIComponent(options.id)}`,
    body: { name: options.name, tier: options.tier, settle_days: options.settleDays },
  });
  say(options.json === true ? JSON.stringify(changed) : line(changed));
}

/** `org key`: creates an admin key for an organisation that lost its own, and shows it only this once. */
export async function createAdminKey(
  access: ServiceAccess,
  options: { org: string; name?: string; json?: boolean },
): Promise<void> {
  const key = await call(access, newKeyRecord, {
    method: 'POST',
    path: `/operator/organisations/${encodeURIComponent(options.org)}/keys`,
    body: { name: options.name },
  });
  if (options.json === true) say(JSON.stringify(key));
  else sayKey(key);
}

/** `org revoke`: revokes a key of an organisation at once, also its last admin key. */
export async function revokeKey(
  access: ServiceAccess,
  { org, key, json = false }: { org: string; key: string; json?: boolean },
): Promise<void> {
  const revoked = await call(access, keyRecord, {
    method: 'DELETE',
    path: `/operator/organisations/${encodeURIComponent(org)}/keys/${encodeURIComponent(key)}`,
  });
  say(json ? JSON.stringify(revoked) : `revoked ${revoked.id}  ${revoked.name}`);
}

/**
 * `org delete`: deletes an organisation with all its data, if `yes` is set. Otherwise shows what would be deleted, and throws what
 * to add. A deletion that stopped halfway goes on.
 */
export async function deleteOrganisation(
  access: ServiceAccess,
  { id, yes = false, json = false }: { id: string; yes?: boolean; json?: boolean },
): Promise<void> {
  const path = `/operator/organisations/${encodeURIComponent(id)}`;
  if (!yes) {
    const { name, tier, keys, cost_sources, metrics, locked_months } = await call(
      access,
      organisationContents,
      { method: 'GET', path },
    );
    throw new Error(
      `would delete ${id} ${JSON.stringify(name)} (${tier}) with all its data, for good:\n` +
        `${counted(keys, 'key')}, ${counted(cost_sources, 'cost source')}, ${counted(metrics, 'metric')}, ` +
        `${counted(locked_months, 'locked month')}\n` +
        'nothing is deleted yet: add --yes to delete it',
    );
  }
  const deletion = await call(access, organisationDeletion, { method: 'DELETE', path });
  say(json ? JSON.stringify(deletion) : `deleted ${id}; backups made before still have its data`);
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** `org deletions`: lists who has deleted which organisation, and when. */
export async function listDeletions(access: ServiceAccess, options: { json?: boolean }): Promise<void> {
  const deletions = await call(access, z.array(organisationDeletion), {
    method: 'GET',
    path: '/operator/deletions',
  });
  if (options.json === true) {
    say(JSON.stringify(deletions));
    return;
  }
  for (const { organisation: id, deleted_by, requested_at, completed_at } of deletions) {
    const end = completed_at === null ? 'not complete: run org delete again' : `complete at ${completed_at}`;
    say(`${id}  by ${deleted_by.name}  at ${requested_at}  ${end}`);
  }
}
