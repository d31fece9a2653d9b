import { beforeAll, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { remoteFiles } from '../../../bin/service/remote-files.ts';
import type { Settings } from '../../../bin/settings/settings.ts';
import { parsePrivateTargets } from '../../../egress/requests/private-targets.ts';
import { focusCsv } from '../../support/exports/focus-export.ts';
import { billLines } from '../../support/exports/wrong-set-ups.ts';
import { startBucketServer } from '../../support/fakes/buckets/versitygw.ts';
import { lacking } from '../../support/needs.ts';
import { checksOf, type Checked } from '../../support/service/checks.ts';
import { startLocalApi } from '../../support/service/local-api.ts';
import { openDuckDb } from '../../support/warehouse/engines.ts';
import { withOpened } from '../../support/with-opened.ts';

const why = lacking('extensions', 'versitygw');
const PRIVATE_TARGETS = parsePrivateTargets('127.0.0.1');

describe.skipIf(why !== '')(`a look into a bucket${why}`, () => {
  const server = withOpened(startBucketServer);
  const api = withOpened(async () => {
    const shared = await openDuckDb();
    const { settings } = shared.warehouse;
    const remote = remoteFiles(settings, { PRIVATE_TARGETS } as Settings, pino({ level: 'silent' }));
    const local = await startLocalApi({
      shared,
      privateTargets: PRIVATE_TARGETS,
      openRemoteFiles: remote.open,
    });
    return {
      ...local,
      close: async () => {
        await local.close();
        await remote.close();
        await shared.close();
      },
    };
  });
  const { ask } = checksOf(api);
  let own = { keyId: '', secret: '' };
  let other = own;

  beforeAll(async () => {
    own = await server.newUser('acme-key-0001', 'acme-bills');
    other = await server.newUser('globex-key-0001', 'globex-bills');
    await server.put('acme-bills', 'focus/2026.csv', focusCsv(billLines('2026-01-01', '2026-02-06')));
    await server.put('acme-bills', 'empty/_manifest.json', '{}');
  });

  const look = async (changes: object = {}, location = 's3://acme-bills/focus/'): Promise<Checked> => {
    const { secret } = await api.newTenant();
    const credentials = {
      type: 's3',
      access_key_id: own.keyId,
      secret_access_key: own.secret,
      region: 'us-east-1',
      endpoint: server.url,
      ...changes,
    };
    const { status, data, error } = await ask(secret, { name: 'AWS', kind: 'focus', location, credentials });
    expect({ status, error }).toEqual({ status: 200, error: undefined });
    expect(JSON.stringify(data)).not.toContain(credentials.secret_access_key);
    return data;
  };

  it('finds a bill that is there', async () => {
    expect(await look()).toMatchObject({
      ok: true,
      problems: [],
      warnings: [],
      found: {
        files: 1,
        files_not_read: 0,
        bytes: Buffer.byteLength(focusCsv(billLines('2026-01-01', '2026-02-06'))),
        months: ['2026-01', '2026-02'],
        last_day: '2026-02-06',
        accounts: ['1000', '1111'],
      },
    });
  });

  it.each([
    [
      'a wrong region',
      () => ({ region: 'eu-central-1' }),
      /in the region us-east-1: set region to us-east-1/,
    ],
    [
      'a wrong secret',
      () => ({ secret_access_key: 'another-secret' }),
      /secret_access_key does not belong to the access_key_id/,
    ],
    ['a key that is not there', () => ({ access_key_id: 'nobody-key-0001' }), /access_key_id is not known/],
    [
      'a key without the right to list',
      () => ({ access_key_id: other.keyId, secret_access_key: other.secret }),
      /may not list the bucket acme-bills: allow it s3:ListBucket on the bucket/,
    ],
    ['a server that is not there', () => ({ endpoint: 'http://127.0.0.1:1' }), /127\.0\.0\.1:1/],
  ])('says what to change about %s', async (_, changes, problem) => {
    const { ok, problems } = await look(changes());
    expect(ok).toBe(false);
    expect(problems).toEqual([expect.stringMatching(problem)]);
  });

  it.each([
    ['a bucket that is not there', 's3://acme-invoices/focus/', /there is no bucket acme-invoices/],
    ['a folder that is not there', 's3://acme-bills/bills/', /nothing is there: check the path/],
    ['only manifests', 's3://acme-bills/empty/', /there are only manifests/],
  ])('says what to change about %s', async (_, location, problem) => {
    const { ok, problems } = await look({}, location);
    expect(ok).toBe(false);
    expect(problems).toEqual([expect.stringMatching(problem)]);
  });

  it('opens no bucket with the operator’s credentials that SOURCE_BUCKETS does not list', async () => {
    const { secret } = await api.newTenant();
    const { data } = await ask(secret, { name: 'AWS', kind: 'focus', location: 's3://acme-bills/focus/' });
    expect(data).toMatchObject({
      ok: false,
      problems: [expect.stringContaining('SOURCE_BUCKETS') as string],
    });
  });
});
