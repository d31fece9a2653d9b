import { describe, expect, it } from 'vitest';
import { NO_BUCKETS, type OperatorBuckets } from '../../../domain/sources/exports/object-storage.ts';
import { openedBuckets } from '../../../egress/buckets/opened-buckets.ts';
import { parsePrivateTargets } from '../../../egress/requests/private-targets.ts';
import { listenLocally } from '../../support/fakes/file-server.ts';
import { withOpened } from '../../support/with-opened.ts';

const ROLE = 'arn:aws:iam::123456789012:role/billing';
const KEY = { type: 's3', access_key_id: 'AKIAOFACME', secret_access_key: 'secret-of-acme' } as const;

const LENT = `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>
  <AccessKeyId>ASIALENT</AccessKeyId><SecretAccessKey>lent/secret</SecretAccessKey><SessionToken>lent token</SessionToken>
  <Expiration>2026-02-07T07:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`;
const DENIED = `<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code>
  <Message>User: arn:aws:iam::1:user/x is not authorized to perform: sts:AssumeRole</Message></Error></ErrorResponse>`;

/** What the fake of AWS's service received: the key that signed, and the form. */
let asked: { key: string; form: URLSearchParams }[] = [];

const sts = withOpened(() =>
  listenLocally((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      const form = new URLSearchParams(body);
      const [, key = ''] =
        /Credential=([^/]+)\/\d+\/[^/]+\/sts\//.exec(request.headers.authorization ?? '') ?? [];
      asked.push({ key, form });
      const isTrusted = form.get('ExternalId') === 'org_acme';
      response.writeHead(isTrusted ? 200 : 403, { 'content-type': 'text/xml' });
      response.end(isTrusted ? LENT : DENIED);
    });
  }),
);

function opened(
  credentials: Parameters<typeof openedBuckets>[1],
  {
    orgId = 'org_acme',
    operator = {},
    targets = '',
  }: { orgId?: string; operator?: Partial<OperatorBuckets>; targets?: string } = {},
) {
  asked = [];
  return openedBuckets({ ...NO_BUCKETS, sts: sts.url, ...operator }, credentials, orgId, {
    privateTargets: parsePrivateTargets(targets),
    field: 'credentials',
    signal: AbortSignal.timeout(60_000),
  });
}

describe('a role of AWS', () => {
  it('is taken with the key of the source, for the organisation alone, and opens the bucket for an hour', async () => {
    const { s3 } = await opened({ ...KEY, region: 'eu-central-1', role_arn: ROLE });
    expect(s3).toEqual({
      keyId: 'ASIALENT',
      secret: 'lent/secret',
      sessionToken: 'lent token',
      region: 'eu-central-1',
      endpoint: null,
    });
    expect(asked.map(({ key, form }) => [key, Object.fromEntries(form)])).toEqual([
      [
        'AKIAOFACME',
        {
          Action: 'AssumeRole',
          Version: '2011-06-15',
          RoleArn: ROLE,
          RoleSessionName: 'cost-analytics',
          DurationSeconds: '3600',
          ExternalId: 'org_acme',
        },
      ],
    ]);
  });

  it('is taken with the operator’s key if the source has none', async () => {
    const s3 = { ...NO_BUCKETS.s3, keyId: 'AKIAOPERATOR', secret: 'secret-of-the-operator' };
    await expect(opened({ type: 's3', role_arn: ROLE }, { operator: { s3 } })).resolves.toMatchObject({
      s3: { keyId: 'ASIALENT', sessionToken: 'lent token' },
    });
    expect(asked.map(({ key }) => key)).toEqual(['AKIAOPERATOR']);
    await expect(opened({ type: 's3', role_arn: ROLE })).rejects.toThrow(
      'credentials.role_arn: the operator has set no AWS key that could take the role: give an access_key_id',
    );
  });

  it('that does not trust the organisation is refused with what to change, and without the secret', async () => {
    const refused = opened({ ...KEY, role_arn: ROLE }, { orgId: 'org_globex' });
    await expect(refused).rejects.toMatchObject({ kind: 'invalid' });
    await expect(refused).rejects.toThrow(
      /^credentials\.role_arn: the key may not take the role: allow the key sts:AssumeRole, .* external id org_globex$/,
    );
    await expect(refused).rejects.not.toThrow(/secret-of-acme/);
  });

  it('is asked at an endpoint of the source only where it may go', async () => {
    const own = { ...KEY, role_arn: ROLE, endpoint: sts.url.replace('127.0.0.1', 'localhost') };
    await expect(opened(own)).rejects.toThrow(/^credentials: the host "localhost".*PRIVATE_TARGETS/);
    expect(asked).toEqual([]);
    await expect(opened(own, { targets: 'localhost' })).resolves.toMatchObject({
      s3: { keyId: 'ASIALENT', endpoint: own.endpoint },
    });
  });
});
