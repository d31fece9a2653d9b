import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { credentialTypeOf } from '../../../domain/sources/credentials.ts';
import { parsePrivateTargets } from '../../../egress/requests/private-targets.ts';
import { checkRealPaths, checkSourceLocation } from '../../../egress/locations/source-location.ts';
import { sourceRulesOf } from '../../../egress/locations/source-rules.ts';

let base: string;
let root: string;
let outside: string;

const check = (location: string, targets = '') =>
  checkSourceLocation(location, { roots: [root], privateTargets: parsePrivateTargets(targets) });

/** Checks a location of a source that has credentials for it. */
const checkBucket = (location: string) =>
  checkSourceLocation(location, {
    roots: [root],
    privateTargets: parsePrivateTargets(''),
    credentials: credentialTypeOf(location),
  });

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'egress-')));
  root = join(base, 'exports');
  outside = join(base, 'secret');
  await mkdir(join(root, 'aws', '2024'), { recursive: true });
  await mkdir(outside);
  await mkdir(join(base, 'exports-other'));
  await writeFile(join(root, 'aws', '2024', 'a.csv'), 'x\n1\n');
  await writeFile(join(outside, 'a.csv'), 'x\n1\n');
  await symlink(join(outside, 'a.csv'), join(root, 'link.csv'));
  await symlink(outside, join(root, 'linked'));
  await symlink(join(outside, 'later.csv'), join(root, 'dangling.csv'));
  await symlink(join(root, 'aws'), join(root, 'inner'));
  await symlink(join(root, 'loop'), join(root, 'loop'));
  await symlink(root, join(base, 'alias'));
});

afterAll(() => rm(base, { recursive: true }));

const REFUSED =
  "location: a local file must lie under one of your organisation's folders (setting SOURCE_ROOTS); a relative location begins in the first";

describe('local locations', () => {
  it.each([
    ['', ''],
    ['/', ''],
    ['/aws/2024/a.csv', '/aws/2024/a.csv'],
    ['/./aws//2024/a.csv', '/aws/2024/a.csv'],
    ['/not/there/yet.parquet', '/not/there/yet.parquet'],
    ['/..hidden/a..b.csv', '/..hidden/a..b.csv'],
    ['/inner/2024/a.csv', '/aws/2024/a.csv'],
    ['/*.csv', '/*.csv'],
    ['/**/*.parquet', '/**/*.parquet'],
    ['/aws/20[0-9][0-9]/?.csv', '/aws/20[0-9][0-9]/?.csv'],
    ['/inner/*/./a.csv', '/aws/*/a.csv'],
    ['/not/there/*.csv', '/not/there/*.csv'],
  ])('accepts <root>%s', async (given, path) => {
    await expect(check(root + given)).resolves.toEqual({ kind: 'local', path: root + path });
    await expect(check(`file://${root}${given}`)).resolves.toEqual({ kind: 'local', path: root + path });
  });

  it('accepts a root that is a link, or that does not exist yet', async () => {
    const privateTargets = parsePrivateTargets('');
    const rules = { roots: [join(base, 'alias'), join(base, 'soon')], privateTargets };
    await expect(checkSourceLocation(join(root, 'x.csv'), rules)).resolves.toMatchObject({ kind: 'local' });
    await expect(checkSourceLocation(join(base, 'soon', '*.csv'), rules)).resolves.toMatchObject({
      kind: 'local',
    });
  });

  it('resolves a relative path in the first root, wherever the service runs', async () => {
    const rules = { roots: [root, base], privateTargets: parsePrivateTargets('') };
    for (const path of ['x/y.csv', './x/y.csv', '*.csv', './x/**', '.']) {
      await expect(checkSourceLocation(path, rules)).resolves.toEqual({
        kind: 'local',
        path: join(root, path).replace(/\/$/, ''),
      });
    }
    await expect(checkSourceLocation('../secret/a.csv', rules)).rejects.toThrow('".."');
    await expect(check('linked/a.csv')).rejects.toThrow(REFUSED);
    await expect(check('link*')).resolves.toMatchObject({ path: `${root}/link*` });
  });

  it('decodes a file URL, and reads its "?" as a wildcard', async () => {
    await expect(check(`file://localhost${root}/a%20b?.csv`)).resolves.toEqual({
      kind: 'local',
      path: `${root}/a b?.csv`,
    });
    await expect(check(`FILE:${root}/a#b.csv`)).resolves.toEqual({ kind: 'local', path: `${root}/a#b.csv` });
  });

  it.each([
    ['another folder', () => `${outside}/a.csv`],
    ['a file outside that does not exist', () => `${outside}/nothing.csv`],
    ['a path below a file outside', () => `${outside}/a.csv/x`],
    ['a folder whose name begins like the root', () => `${base}/exports-other/a.csv`],
    ['the parent of the root', () => base],
    ['the root of the machine', () => '/'],
    ['a glob at the root of the machine', () => '/*/passwd'],
    ['/etc/passwd', () => '/etc/passwd'],
    ['a glob outside', () => `${outside}/*.csv`],
    ['a link to a file outside', () => `${root}/link.csv`],
    ['a file below a link to outside', () => `${root}/linked/a.csv`],
    ['a missing file below a link to outside', () => `${root}/linked/nothing.csv`],
    ['a glob below a link to outside', () => `${root}/linked/*.csv`],
    ['a dangling link', () => `${root}/dangling.csv`],
    ['a link to itself', () => `${root}/loop`],
    ['a name that is too long', () => `${root}/${'x'.repeat(300)}`],
  ])('refuses %s with one message', async (_what, location) => {
    await expect(check(location())).rejects.toMatchObject({ kind: 'invalid', message: REFUSED });
    await expect(check(`file://${location()}`)).rejects.toMatchObject({ kind: 'invalid', message: REFUSED });
  });

  it.each([
    ['/../secret/a.csv', '".."'],
    ['/aws/../aws/2024/a.csv', '".."'],
    ['/*/../../secret/a.csv', '".."'],
    ['/aws/*/..', '".."'],
    ['/aws\\..\\..\\secret', 'backslash'],
    ['/a\0.csv', 'control characters'],
    ['/a\n.csv', 'control characters'],
  ])('refuses <root>%j', async (rest, reason) => {
    await expect(check(root + rest)).rejects.toMatchObject({ kind: 'invalid' });
    await expect(check(root + rest)).rejects.toThrow(reason);
  });

  it.each([
    [() => `file://${root}/%2e%2e/secret/a.csv`, '".."'],
    [() => `file://${root}/..%2Fsecret/a.csv`, '".."'],
    [() => `file://${root}/a%00.csv`, 'control characters'],
    [() => `file://${root}/a%zz.csv`, 'percent-encoding'],
    [() => 'file://server/share/a.csv', 'file:///'],
    [() => 'file:a.csv', 'file:///'],
    [() => 'file:////etc/passwd', 'file:///'],
  ])('refuses a malformed file URL (%#)', async (location, reason) => {
    await expect(check(location())).rejects.toThrow(reason);
  });

  it('begins its messages with the field', async () => {
    const rules = { roots: [root], privateTargets: parsePrivateTargets('') };
    for (const location of ['/etc/passwd', 'gs://b/k', 'http://localhost/', '', 's3://b', '../x', 'a\0']) {
      await expect(checkSourceLocation(location, rules, 'sources[0]')).rejects.toThrow(/^sources\[0\]: /);
    }
  });
});

describe('folders of organisations', () => {
  const rulesOf = (...sourceRoots: [string, ...string[]]) =>
    sourceRulesOf({ sourceRoots, PRIVATE_TARGETS: parsePrivateTargets('') });
  beforeAll(async () => {
    for (const id of ['org_a', 'org_ab']) {
      await mkdir(join(base, 'tenants', id, 'aws'), { recursive: true });
      await writeFile(join(base, 'tenants', id, 'aws', 'bill.csv'), 'x\n1\n');
    }
    await symlink(join(base, 'tenants', 'org_ab'), join(base, 'tenants', 'org_a', 'neighbour'));
  });

  it('contain the id in place of the placeholder', () => {
    const { roots } = rulesOf('/srv/{organisation}/in', '/mnt/bills-{organisation}', '/all')('org_a');
    expect(roots).toEqual(['/srv/org_a/in', '/mnt/bills-org_a', '/all']);
  });

  it('let each organisation read its own files by the same location', async () => {
    const rules = rulesOf(join(base, 'tenants', '{organisation}'));
    for (const id of ['org_a', 'org_ab'])
      for (const location of ['aws/bill.csv', join(base, 'tenants', id, 'aws', 'bill.csv')])
        await expect(checkSourceLocation(location, rules(id))).resolves.toEqual({
          kind: 'local',
          path: join(base, 'tenants', id, 'aws', 'bill.csv'),
        });
  });

  it.each([
    ['another organisation’s folder', () => join(base, 'tenants', 'org_ab', 'aws', 'bill.csv')],
    ['its own folder’s parent', () => join(base, 'tenants')],
    ['a glob over all folders', () => join(base, 'tenants', '*', 'aws', '*.csv')],
    ['a glob that begins with its name', () => join(base, 'tenants', 'org_a*', 'aws', '*.csv')],
    ['the placeholder itself', () => join(base, 'tenants', '{organisation}', 'x.csv')],
    ['a link to another folder', () => 'neighbour/aws/bill.csv'],
    ['".."', () => '../org_ab/aws/bill.csv'],
  ])('refuse %s', async (_what, location) => {
    const rules = rulesOf(join(base, 'tenants', '{organisation}'))('org_a');
    await expect(checkSourceLocation(location(), rules)).rejects.toMatchObject({ kind: 'invalid' });
  });

  it.each(['', '.', '..', 'a/b', 'a\\b', '../org_b', 'org_*', 'a\0b', 'a b'])(
    'refuse the id %j, which is not a plain segment of a path',
    (id) => {
      expect(() => rulesOf('/srv/{organisation}')(id)).toThrow('cannot name a folder');
    },
  );
});

describe('checkRealPaths', () => {
  it('accepts files under a root, also through a link that stays inside', async () => {
    const files = [`${root}/aws/2024/a.csv`, `${root}/inner/2024/a.csv`];
    await expect(checkRealPaths(files, [root], 'location')).resolves.toBeUndefined();
    await expect(checkRealPaths([], [], 'location')).resolves.toBeUndefined();
  });

  it.each(['link.csv', 'linked/a.csv', 'dangling.csv', '../secret/a.csv'])(
    'refuses <root>/%s among good files',
    async (name) => {
      const files = [`${root}/aws/2024/a.csv`, `${root}/${name}`];
      await expect(checkRealPaths(files, [root], 'location')).rejects.toThrow(REFUSED);
    },
  );
});

describe('remote locations', () => {
  it.each([
    ['s3://my-bucket/exports/2024-01.parquet', 's3://my-bucket/exports/2024-01.parquet'],
    ['S3://my.bucket_1/a/**/*.parquet', 's3://my.bucket_1/a/**/*.parquet'],
    ['s3://bucket/a b#[0-9].csv', 's3://bucket/a b#[0-9].csv'],
    ['s3://bucket/', 's3://bucket/'],
    ['gs://my-bucket/a/*.csv', 'gs://my-bucket/a/*.csv'],
    ['az://acme/exports/2026/', 'az://acme/exports/2026/'],
    ['AZ://acme/exports/', 'az://acme/exports/'],
  ])('accepts %s', async (location, url) => {
    await expect(checkBucket(location)).resolves.toEqual({ kind: 'bucket', url });
  });

  it.each([
    ['s3://bucket', 's3://bucket/key'],
    ['s3:bucket/key', 's3://bucket/key'],
    ['s3://user:secret@host/key', 's3://bucket/key'],
    ['s3://127.0.0.1:9000/key', 's3://bucket/key'],
    ['s3://evil.example#/key', 's3://bucket/key'],
    ['s3://*/key', 's3://bucket/key'],
    ['s3://bucket/key?s3_endpoint=127.0.0.1:9000&s3_use_ssl=false', '"?"'],
    ['s3://bucket/../other/key', '".."'],
    ['s3://bucket/./key', '".."'],
    ['gs://bucket', 'gs://bucket/key'],
    ['gs://bucket/a/../b', '".."'],
    ['az://account/container', 'az://account/container/path'],
    ['az://account.blob.core.windows.net/container/x.csv', 'az://account/container/path'],
    ['az://Account/container/x.csv', 'az://account/container/path'],
    ['az://account:1/container/x.csv', 'az://account/container/path'],
    ['az://account/con/../x.csv', '".."'],
    ['az://account/container/x?y', '"?"'],
  ])('refuses %s', async (location, reason) => {
    await expect(checkBucket(location)).rejects.toMatchObject({ kind: 'invalid' });
    await expect(checkBucket(location)).rejects.toThrow(reason);
  });

  it('accepts a public URL in its parsed form', async () => {
    await expect(check('HTTPS://8.8.8.8/a b/x.csv?sig=a%2Fb&t=[1]#part')).resolves.toEqual({
      kind: 'http',
      url: 'https://8.8.8.8/a%20b/x.csv?sig=a%2Fb&t=[1]',
    });
    await expect(check('http://8.8.8.8\\@127.0.0.1/x')).resolves.toEqual({
      kind: 'http',
      url: 'http://8.8.8.8/@127.0.0.1/x',
    });
    await expect(check('http://[2606:4700:4700::1111]:8080/x')).resolves.toMatchObject({ kind: 'http' });
  });

  it('accepts a private URL that PRIVATE_TARGETS lists', async () => {
    await expect(check('http://localhost:9000/x.csv', 'localhost')).resolves.toMatchObject({ kind: 'http' });
    await expect(check('http://10.0.0.7/x.csv', '10.0.0.0/8')).resolves.toMatchObject({ kind: 'http' });
    await expect(check('http://[::1]/x.csv', '[::1]')).resolves.toMatchObject({ kind: 'http' });
  });

  it.each([
    'http://localhost/x',
    'https://localhost./x',
    'http://127.0.0.1/x',
    'http://127.1/x',
    'http://0x7f000001/x',
    'http://2130706433/x',
    'http://0177.0.0.1/x',
    'http://0/x',
    'http://①②⑦.0.0.1/x',
    'http://[::1]/x',
    'http://[::]/x',
    'http://[::ffff:127.0.0.1]/x',
    'http://[::ffff:7f00:1]/x',
    'http://[64:ff9b::10.0.0.1]/x',
    'http://[fd00::1]/x',
    'http://169.254.169.254/latest/meta-data/',
    'http://127.0.0.1\\@8.8.8.8/',
    'http:127.0.0.1/x',
  ])('refuses %s and names PRIVATE_TARGETS', async (location) => {
    await expect(check(location)).rejects.toMatchObject({ kind: 'invalid' });
    await expect(check(location)).rejects.toThrow(/^location: the host .* allow it with PRIVATE_TARGETS$/);
  });

  it.each([
    ['https://user:pw@8.8.8.8/x', 'credentials'],
    ['https://user@8.8.8.8/x', 'credentials'],
    ['https://8.8.8.8/*.csv', 'globs are for local files and buckets'],
    ['https://8.8.8.8/x?y=*', 'globs are for local files and buckets'],
    ['https://', 'not a valid URL'],
    ['http://[::1', 'not a valid URL'],
    ['http://a b/x', 'not a valid URL'],
    ['http://no-such-host.invalid/x', 'the host "no-such-host.invalid" does not resolve'],
    ['http://8.8.8.8/a\r\nX-Y: z', 'control characters'],
  ])('refuses %s', async (location, reason) => {
    await expect(check(location)).rejects.toMatchObject({ kind: 'invalid' });
    await expect(check(location)).rejects.toThrow(reason);
  });

  it.each([
    'gcs://bucket/key',
    's3a://bucket/key',
    'r2://bucket/key',
    'azure://container/key',
    'abfss://container/key',
    'ftp://8.8.8.8/x',
    'hf://datasets/a/b.csv',
    'postgres:dbname=x',
    'postgresql://localhost/x',
    'sqlite:x.db',
    'duckdb:x.db',
    'ducklake:x',
    'md:my_db',
    'data:text/csv,a',
    'javascript:1',
    'C:/x.csv',
  ])('refuses %s and says what is accepted', async (location) => {
    await expect(check(location)).rejects.toThrow(
      /^location: the scheme ".*:" is not supported; expected .*s3:\/\//,
    );
  });
});
