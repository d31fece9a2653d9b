import { describe, expect, it } from 'vitest';
import { checkSourceLocation } from '../../../egress/locations/source-location.ts';
import { mayReadBucket, parseSourceBuckets } from '../../../egress/locations/source-buckets.ts';
import { sourceRulesOf } from '../../../egress/locations/source-rules.ts';
import { parsePrivateTargets } from '../../../egress/requests/private-targets.ts';

const rulesOf = (SOURCE_BUCKETS: string, orgId = 'org_a') =>
  sourceRulesOf({
    sourceRoots: ['/exports'],
    PRIVATE_TARGETS: parsePrivateTargets(''),
    SOURCE_BUCKETS: parseSourceBuckets(SOURCE_BUCKETS),
  })(orgId);

describe('buckets that the operator lists', () => {
  it.each([
    ['s3://bills', 's3://bills/2026/a.csv'],
    ['s3://bills/', 's3://bills/*.csv'],
    [' gs://other/ , s3://bills/a/{organisation}/ ', 's3://bills/a/org_a/**'],
    ['s3://{organisation}-bills', 's3://org_a-bills/x/'],
    ['s3://bills/a', 's3://bills/a/'],
    ['az://acme/exports/{organisation}', 'az://acme/exports/org_a/[0-9]*/'],
  ])('are those of %s: %s', async (setting, location) => {
    await expect(checkSourceLocation(location, rulesOf(setting))).resolves.toMatchObject({ kind: 'bucket' });
  });

  it.each([
    ['', 's3://bills/a.csv'],
    ['s3://bills', 's3://bills-2/a.csv'],
    ['s3://bills', 'gs://bills/a.csv'],
    ['s3://bills', 's3://BILLS/a.csv'],
    ['s3://bills/a', 's3://bills/a'],
    ['s3://bills/a', 's3://bills/ab/x.csv'],
    ['s3://bills/a', 's3://bills/A/x.csv'],
    ['s3://bills/a', 's3://bills/a*/x.csv'],
    ['s3://bills/a', 's3://bills/*/a/x.csv'],
    ['s3://bills/a', 's3://bills/[a]/x.csv'],
    ['s3://bills/a', 's3://bills//a/x.csv'],
    ['s3://bills/{organisation}', 's3://bills/org_ab/x.csv'],
    ['s3://bills/{organisation}', 's3://bills/{organisation}/x.csv'],
    ['az://acme/exports', 'az://acme/exports-2/x.csv'],
    ['az://acme/exports', 'az://acme2/exports/x.csv'],
  ])('are not more than %s: not %s', async (setting, location) => {
    await expect(checkSourceLocation(location, rulesOf(setting))).rejects.toThrow(
      /^location: .*SOURCE_BUCKETS.*give the source credentials/,
    );
  });

  it.each([
    ['s3://bills/a', 's3://bills/a/../b/x.csv'],
    ['s3://bills/a', 's3://bills/a/./x.csv'],
  ])('cannot be left: %s by %s', async (setting, location) => {
    await expect(checkSourceLocation(location, rulesOf(setting))).rejects.toThrow('".."');
  });

  it('do not matter to a source with credentials of its own for that cloud', () => {
    const reach = { ...rulesOf('s3://bills'), credentials: 'azure' } as const;
    expect(mayReadBucket('az://acme/exports/x.csv', reach)).toBe(true);
    expect(mayReadBucket('s3://bills/x.csv', reach)).toBe(true);
    expect(mayReadBucket('s3://others/x.csv', reach)).toBe(false);
  });

  it.each([
    'bills',
    's3:bills',
    's3://',
    'https://bills/',
    'az://acme',
    's3://bills/*/a',
    's3://bills/../a',
    's3://*',
  ])('are refused as a setting: %s', (setting) => {
    expect(() => parseSourceBuckets(`s3://fine,${setting}`)).toThrow(/^SOURCE_BUCKETS: expected s3:/);
  });
});
