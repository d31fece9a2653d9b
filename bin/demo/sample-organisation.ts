import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { organisation } from '../../api/fields.ts';
import { newKeyRecord } from '../../api/keys.ts';
import { ApiClient, Refused } from './api-client.ts';

/** Where the demo keeps the admin key of its organisation, so that a second run goes on with the same one. */
export const demoKeyFile = (dataDir: string): string => join(dataDir, 'demo.key');

/** The sample organisation as its admin reaches it. */
export interface SampleOrganisation {
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
  if (kept !== '' && (await isAdminKey(url, kept))) {
    return { admin: adminOf(url, kept), adminKey: kept, isNew: false };
  }
  const operator = new ApiClient(url, { 'x-operator-key': operatorKey });
  const { key } = await operator.post(
    '/operator/organisations',
    z.object({ organisation, key: newKeyRecord }),
    { name: 'Sample shop', tier: 'enterprise', currency: 'USD' },
  );
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, `${key.secret}\n`, { mode: 0o600 });
  await rename(temporary, file);
  return { admin: adminOf(url, key.secret), adminKey: key.secret, isNew: true };
};

const adminOf = (url: string, key: string): ApiClient => new ApiClient(url, { 'x-api-key': key });

const isAdminKey = async (url: string, key: string): Promise<boolean> => {
  try {
    const { key: record } = await adminOf(url, key).get(
      '/api/v1/auth/info',
      z.object({ key: z.object({ permission: z.string() }) }),
    );
    return record.permission === 'admin';
  } catch (error) {
    if (error instanceof Refused && error.status === 401) return false;
    throw error;
  }
};
