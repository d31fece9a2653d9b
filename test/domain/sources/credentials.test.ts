import { describe, expect, it } from 'vitest';
import {
  acceptedTypes,
  credentialsOf,
  hintOf,
  type Credentials,
  type CredentialType,
} from '../../../domain/sources/credentials.ts';

const S3 = {
  type: 's3',
  access_key_id: 'AKIAIOSFODNN7EXAMPLE',
  secret_access_key: 'wJalrXUtnFEMIbPxRfiCYEX',
};
const ROLE = 'arn:aws:iam::123456789012:role/billing';
const SAS = 'sv=2024-08-04&sp=rl&se=2026-12-01T00%3A00%3A00Z&sig=bm90IGEgc2lnbmF0dXJl';

const ALL: CredentialType[] = ['s3', 'gcs', 'azure', 'google', 'token'];

describe('the credentials of a cost source', () => {
  it.each([
    [S3, '…MPLE'],
    [{ ...S3, role_arn: ROLE }, `…MPLE as ${ROLE}`],
    [{ type: 's3', role_arn: ROLE }, ROLE],
    [{ type: 's3', access_key_id: 'minio', secret_access_key: 'minio123' }, '…'],
    [{ type: 'gcs', access_id: 'GOOG1EEXAMPLEEXAMPLE', secret: 'gWJalrXUtnFEMI' }, '…MPLE'],
    [{ type: 'azure', sas_token: SAS }, 'SAS until 2026-12-01'],
    [{ type: 'azure', account_key: 'bm90IGEga2V5IGF0IGFsbCwgb25seSBhIHRlc3Q=' }, 'account key'],
    [{ type: 'token', token: 'ghp_0123456789abcdef' }, '…cdef'],
  ])('are recognised by a hint that is not enough to use them: %#', (sent, hint) => {
    expect(hintOf(credentialsOf(sent, ALL))).toBe(hint);
  });

  it.each([`?${SAS}`, `https://acme.blob.core.windows.net/exports?${SAS}`, ` ${SAS}\n`])(
    'take a shared access signature as people copy it: %#',
    (sas_token) => {
      expect(credentialsOf({ type: 'azure', sas_token }, ['azure'])).toEqual({
        type: 'azure',
        sas_token: SAS,
      } satisfies Credentials);
    },
  );

  it.each([
    [null, 'credentials.type: expected "s3"'],
    [{ type: 'azure', sas_token: SAS }, 'credentials.type: expected "s3"'],
    [{ type: 's3' }, 'expected access_key_id and secret_access_key, or a role_arn'],
    [
      { ...S3, secret_access_key: undefined },
      'credentials: expected access_key_id and secret_access_key together',
    ],
    [{ ...S3, secret_access_key: 'hush hush' }, 'credentials.secret_access_key: expected the secret of'],
    [{ ...S3, hushhush: 'hush' }, 'credentials: unknown field; s3 has access_key_id,'],
    [{ ...S3, endpoint: 'https://hush:hush@minio' }, 'credentials.endpoint: expected the base URL'],
    [{ ...S3, role_arn: 'hush' }, 'credentials.role_arn: expected the ARN'],
  ])('are refused with the wrong field, and without what was sent: %#', (sent, message) => {
    const refused = (): unknown => credentialsOf(sent, ['s3']);
    expect(refused).toThrow(message);
    expect(refused).not.toThrow(/hush/);
  });

  it('are either a signature or a key for Azure', () => {
    expect(() => credentialsOf({ type: 'azure' }, ALL)).toThrow('either sas_token or account_key');
    const both = { type: 'azure', sas_token: SAS, account_key: 'bm90IGEga2V5IGF0IGFsbA==' };
    expect(() => credentialsOf(both, ALL)).toThrow('either sas_token or account_key');
    expect(() => credentialsOf({ type: 'azure', sas_token: 'sv=1&se=2' }, ALL)).toThrow('has sig=…');
  });

  it('fit what the source reads', () => {
    expect(acceptedTypes(['s3://bucket/key', 'az://account/container/', 'folder'])).toEqual(['s3', 'azure']);
    expect(acceptedTypes(['gs://bucket/', 'bigquery://project.dataset.table'])).toEqual(['gcs', 'google']);
    expect(acceptedTypes(['https://api.github.com'], true)).toEqual(['token']);
    expect(() => credentialsOf(S3, acceptedTypes(['https://example.com/a.csv']))).toThrow('expected none');
  });
});
