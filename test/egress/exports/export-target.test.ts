import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExportPlace } from '../../../egress/exports/export-place.ts';
import { exportTarget, placeOf } from '../../../egress/exports/export-target.ts';
import { parsePrivateTargets } from '../../../egress/requests/private-targets.ts';
import { listenLocally } from '../../support/fakes/file-server.ts';

const NO_SIGNAL = new AbortController().signal;
const KEYS = { keyId: 'AKID', secret: 'secret', sessionToken: null, region: null };
const rules = (endpoint: string | null = null) => ({
  objectStorage: { ...KEYS, endpoint },
  privateTargets: parsePrivateTargets('127.0.0.1'),
});

describe('a target', () => {
  it.each([
    ['/exports', { kind: 'folder', path: '/exports/{organisation}', base: '/exports' }],
    ['/exports/', { kind: 'folder', path: '/exports/{organisation}', base: '/exports' }],
    ['/', { kind: 'folder', path: '/{organisation}', base: '/' }],
    ['/a/org-{organisation}/b', { kind: 'folder', path: '/a/org-{organisation}/b', base: '/a' }],
    ['s3://bucket', { kind: 's3', bucket: 'bucket', prefix: '{organisation}' }],
    ['S3://bucket//a/b/', { kind: 's3', bucket: 'bucket', prefix: 'a/b/{organisation}' }],
    ['s3://bucket/{organisation}/a', { kind: 's3', bucket: 'bucket', prefix: '{organisation}/a' }],
  ])('%s has a place for each organisation', (text, target) => {
    expect(exportTarget(text)).toEqual(target);
  });

  it.each([
    'https://host/x',
    'file:///x',
    's3:/bucket',
    's3://b',
    's3://{organisation}/x',
    's3://bucket/a/..',
    '/a\0',
  ])('cannot be %j', (text) => {
    expect(() => exportTarget(text)).toThrow(/^expected a folder, or s3:\/\/bucket\/prefix/);
  });
});

describe('a place', () => {
  let folder: string;
  let file: string;
  let place: ExportPlace;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cost-analytics-test-'));
    file = join(folder, 'new');
    await writeFile(file, 'new');
    await mkdir(join(folder, 'target'));
    place = placeOf(exportTarget(join(folder, 'target')), 'org_1', rules());
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('in a folder keeps the earlier file of an attempt that was given up, and nothing else', async () => {
    await place.put('spend/data.parquet', file, NO_SIGNAL);
    await writeFile(file, 'newer');
    await expect(place.put('spend/data.parquet', file, AbortSignal.abort())).rejects.toThrow(/abort/);
    expect(await readdir(join(folder, 'target/org_1/spend'))).toEqual(['data.parquet']);
    expect(await readFile(join(folder, 'target/org_1/spend/data.parquet'), 'utf8')).toBe('new');
    for (const _ of ['once', 'again']) await place.remove('spend/data.parquet', NO_SIGNAL);
    expect(await readdir(join(folder, 'target'))).toEqual([]);
  });

  it.each([
    [
      403,
      'AccessDenied',
      /^EXPORT_TO: 127\.0\.0\.1:\d+ answered 403 \(AccessDenied\) to PUT \/bucket\/org_1\/a: check/,
    ],
    [503, 'SlowDown', /^127\.0\.0\.1:\d+ answered 503 \(SlowDown\) to PUT \/bucket\/org_1\/a$/],
  ])('in an object storage reports an answer of %i', async (status, code, message) => {
    const storage = await listenLocally((request, response) => {
      request.resume().on('end', () => response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`));
    });
    const bucket = placeOf(exportTarget('s3://bucket'), 'org_1', rules(storage.url));
    await expect(bucket.put('a', file, NO_SIGNAL)).rejects.toThrow(message);
    await storage.close();
  });
});
