import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createdOrganisation } from '../../api/operator/operator.ts';
import { ApiClient, Refused } from './api-client.ts';

/** Where the demo keeps the admin key of its organisation, so that a second run goes on with the same one. */
export const demoKeyFile = (dataDir: string): string => join(dataDir, 'demo.key');

/** The sample organisation as its admin reaches it. */
export interface SampleOrganisation {
  id: string;
  admin: ApiClient;
  adminKey: string;
  isNew: boolean;
}

/** The sample organisation of a data directory: the one an earlier run made, as long as its key works, else a new one. */
export const sampleOrganisation = async (service: {
  url: string;
  dataDir: string;
  operatorKey: string;
}): Promise<SampleOrganisation> => {
  const { url, dataDir, operatorKey } = service;
  const file = demoKeyFile(dataDir);
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  const keptFor = kept === '' ? null : await organisationOf(url, kept);
  if (keptFor !== null) return { id: keptFor, admin: adminOf(url, kept), adminKey: kept, isNew: false };
  const operator = new ApiClient(url, { 'x-operator-key': operatorKey });
  const { organisation, key } = await operator.post('/operator/organisations', createdOrganisation, {
    name: 'Sample shop',
    tier: 'enterprise',
    currency: 'USD',
  });
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, `${key.secret}\n`, { mode: 0o600 });
  await rename(temporary, file);
  return { id: organisation.id, admin: adminOf(url, key.secret), adminKey: key.secret, isNew: true };
};

const adminOf = (url: string, key: string): ApiClient => new ApiClient(url, { 'x-api-key': key });

/** The organisation that an admin key opens; null if it opens none any more. */
const organisationOf = async (url: string, secret: string): Promise<string | null> => {
  try {
    const { organisation, key } = await adminOf(url, secret).get(
      '/api/v1/auth/info',
      z.object({ organisation: z.object({ id: z.string() }), key: z.object({ permission: z.string() }) }),
    );
    return key.permission === 'admin' ? organisation.id : null;
  } catch (error) {
    if (error instanceof Refused && error.status === 401) return null;
    throw error;
  }
};
