import { describe, expect, it } from 'vitest';
import { NOTHING_FOUND } from '../../../domain/sources/checks/checked-source.ts';
import { foundWords, monthsWords } from '../../../web/sources/connect/found-words.ts';
import { freeName } from '../../../web/sources/connect/free-name.ts';
import { readingPolicy } from '../../../web/sources/connect/steps/aws-steps.ts';
import { accessSteps } from '../../../web/sources/connect/steps/access-steps.ts';
import { isNamed, namesIn } from '../../../web/sources/connect/steps/location-names.ts';
import type { Place } from '../../../web/sources/connect/place-names.ts';
import { locationOf, PLACES, typeOf, waysOf, wayOf } from '../../../web/sources/connect/ways.ts';

describe('what a look at a source found, in words', () => {
  it('says what is known, and nothing of the rest', () => {
    expect(
      foundWords({
        files: 3,
        files_not_read: 0,
        bytes: 2_500_000,
        format: 'parquet',
        months: ['2026-01', '2025-12'],
        first_day: '2025-12-01',
        last_day: '2026-01-31',
        currency: 'USD',
        accounts: ['1111', '2222'],
        units: ['aws/1111', 'aws/2222'],
        rows_estimate: 120_000,
        unchanged_by_run: 2,
        clusters_matched: { nodes: 44, on_bill: 42 },
        clusters: [
          { cluster: 'prod', nodes: 43, on_bill: 41 },
          { cluster: 'test', nodes: 1, on_bill: 1 },
        ],
      }),
    ).toEqual([
      { name: 'Files', words: '3 files, parquet, 2.5 MB' },
      { name: 'Months', words: '2 months: 2025-12 to 2026-01' },
      { name: 'Days', words: '2025-12-01 to 2026-01-31' },
      { name: 'Rows', words: '120,000 rows' },
      { name: 'Currency', words: 'USD' },
      { name: 'Accounts', words: '2 accounts: 1111, 2222' },
      {
        name: 'Machines',
        words:
          '41 of 43 nodes of cluster prod are on this bill. 1 of 1 node of cluster test is on this bill.',
      },
      { name: 'A daily run', words: '2 of 3 files did not change for a day, and would not be read again' },
    ]);
    expect(foundWords(NOTHING_FOUND)).toEqual([]);
    expect(
      foundWords({ ...NOTHING_FOUND, files: 4, files_not_read: 3, rows_estimate: 40, units: ['prod'] }),
    ).toEqual([
      { name: 'Files', words: '4 files, 3 of them not read' },
      { name: 'Rows', words: 'About 40 rows' },
      { name: 'Clusters, hosts or tools', words: 'prod' },
    ]);
  });

  it('shows a month that is missing between others', () => {
    expect(monthsWords(['2025-11', '2025-12', '2026-01', '2026-03'])).toBe('2025-11 to 2026-01, 2026-03');
  });

  it('names some accounts of many', () => {
    const accounts = Array.from({ length: 11 }, (_, index) => `a${index + 1}`);
    expect(foundWords({ ...NOTHING_FOUND, accounts })).toEqual([
      { name: 'Accounts', words: '11 accounts: a1, a2, a3, a4, a5, a6, a7, a8 and 3 more' },
    ]);
  });
});

describe('the steps of a cloud', () => {
  it('have the names of the location, without globs and files', () => {
    expect(namesIn('s3://bills/exports/focus/**/*.parquet')).toMatchObject({
      bucket: 'bills',
      prefix: 'exports/focus',
    });
    expect(namesIn(' S3://bills/focus/2026-01.csv.gz')).toMatchObject({ bucket: 'bills', prefix: 'focus' });
    expect(namesIn('az://acme/exports/focus/daily')).toMatchObject({
      account: 'acme',
      container: 'exports',
      prefix: 'focus/daily',
    });
    expect(namesIn('bigquery://acme.billing.gcp_billing_export_v1_01')).toMatchObject({
      project: 'acme',
      dataset: 'billing',
      table: 'gcp_billing_export_v1_01',
    });
    expect(namesIn('/exports/focus')).toMatchObject({
      bucket: 'BUCKET',
      account: 'ACCOUNT',
      project: 'PROJECT',
    });
  });

  it('let a user list and read one folder of a bucket, and nothing else', () => {
    expect(JSON.parse(readingPolicy(namesIn('s3://bills/focus/*.csv')))).toEqual({
      Version: '2012-10-17',
      Statement: [
        {
          Sid: 'ListTheExports',
          Effect: 'Allow',
          Action: 's3:ListBucket',
          Resource: 'arn:aws:s3:::bills',
          Condition: { StringLike: { 's3:prefix': 'focus*' } },
        },
        {
          Sid: 'ReadTheExports',
          Effect: 'Allow',
          Action: 's3:GetObject',
          Resource: 'arn:aws:s3:::bills/focus/*',
        },
      ],
    });
    // A run also lists the manifests, which lie beside the folder of the data.
    expect(readingPolicy(namesIn('s3://bills/focus/mine/data/'))).toBe(
      readingPolicy(namesIn('s3://bills/focus/mine/')),
    );
    const whole = JSON.parse(readingPolicy(namesIn('s3://bills'))) as { Statement: object[] };
    expect(whole.Statement).toMatchObject([
      { Resource: 'arn:aws:s3:::bills' },
      { Resource: 'arn:aws:s3:::bills/*' },
    ]);
    expect(whole.Statement[0]).not.toHaveProperty('Condition');
  });

  it('end the access to a container, and grant one data set', () => {
    const codeOf = (steps: readonly { code?: string }[]): string =>
      steps.map(({ code = '' }) => code).join('\n');
    const azure = codeOf(accessSteps('azure', namesIn('az://acme/exports'), '2026-02-07'));
    expect(azure).toContain('--permissions rl --expiry 2027-12-31T00:00Z');
    expect(azure).toContain('--account-name acme --name exports --policy-name cost-analytics');
    const google = codeOf(accessSteps('google', namesIn('bigquery://acme.billing.costs'), '2026-02-07'));
    expect(google).toContain(
      'GRANT `roles/bigquery.dataViewer` ON SCHEMA `acme.billing` TO "serviceAccount:cost-analytics@acme.iam.gserviceaccount.com"',
    );
    const bucket = codeOf(accessSteps('gcs', namesIn('gs://acme-bills'), '2026-02-07'));
    expect(bucket).toContain('add-iam-policy-binding gs://acme-bills ');
    expect(accessSteps(null, namesIn('/exports'), '2026-02-07')).toEqual([]);
  });

  it('say so while a name is missing', () => {
    const isNamedAt = (location: string) =>
      (['s3', 'azure', 'gcs', 'google'] as const).map((type) =>
        isNamed(accessSteps(type, namesIn(location), '2026-02-07')),
      );
    expect(isNamedAt('')).toEqual([false, false, false, false]);
    expect(isNamedAt('s3://bills')).toEqual([true, false, true, false]);
    expect(isNamedAt('az://acme')).toEqual([false, false, false, false]);
    expect(isNamedAt('az://acme/exports')).toEqual([false, true, false, false]);
    expect(isNamedAt('bigquery://acme.billing.costs')).toEqual([false, false, false, true]);
  });
});

describe('the ways to connect', () => {
  const places = Object.keys(PLACES) as Place[];

  it('begin with the first of a place, also for a name that is none', () => {
    expect(wayOf('aws', undefined)).toMatchObject({ name: 'focus', way: { kind: 'focus' } });
    expect(wayOf('aws', 'cur')).toMatchObject({ name: 'cur', way: { kind: 'aws_cur' } });
    expect(wayOf('aws', 'details')).toMatchObject({ name: 'focus' });
  });

  it('ask for what opens the example, or what is typed instead', () => {
    const typeAt = (place: Place, typed: string, way?: string) => typeOf(wayOf(place, way).way, typed);
    expect(places.map((place) => [place, typeAt(place, '')])).toEqual([
      ['aws', 's3'],
      ['azure', 'azure'],
      ['google', 'google'],
      ['other', 's3'],
      ['file', null],
      ['kubernetes', null],
      ['hosts', 's3'],
      ['ai', 'token'],
    ]);
    expect(typeAt('aws', '/exports/aws')).toBeNull();
    expect(typeAt('aws', ' gs://copied/aws')).toBe('gcs');
    expect(typeAt('ai', '', 'files')).toBe('s3');
  });

  it('are at the place that is typed, or at the usual one', () => {
    const locationAt = (place: Place, way: string, typed: string) => locationOf(wayOf(place, way).way, typed);
    expect(locationAt('aws', 'focus', ' s3://bills ')).toBe('s3://bills');
    expect(locationAt('aws', 'focus', ' ')).toBe('');
    expect(locationAt('ai', 'anthropic', '')).toBe('https://api.anthropic.com');
    expect(locationAt('ai', 'github', '')).toBe('');
    expect(locationAt('file', 'focus', 's3://typed/before')).toBe('upload');
  });

  it('ask a file for nothing that opens it, and have steps for everything else', () => {
    for (const place of places)
      for (const [name, { location, steps }] of Object.entries(waysOf(place)))
        if (location !== 'upload') expect(steps, `${place} ${name}`).toBeDefined();
  });
});

describe('the name of a new source', () => {
  it('is one that no source has', () => {
    expect(freeName('AWS', [])).toBe('AWS');
    expect(freeName('AWS', ['aws', 'AWS 2', 'Azure'])).toBe('AWS 3');
  });
});
