import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportFiles } from '../../activities/export-location.ts';
import { toFailure } from '../../activities/failures.ts';
import { conflict, invalid, notFound } from '../../domain/errors.ts';
import { parsePrivateTargets } from '../../egress/private-targets.ts';
import { describeFile } from '../../warehouse/export-files.ts';
import { loadExtension } from '../../warehouse/extensions.ts';
import { openDuckDb, type TestWarehouse } from '../support/engines.ts';
import { extensionDirectory, hasHttpfs } from '../support/extension-directory.ts';
import { listenLocally, type LocalServer } from '../support/file-server.ts';
import { dayLine, focusCsv } from '../support/focus-export.ts';
import { loadPaths, newOrganisation, newSource, writeFiles } from '../support/tenant.ts';

/** Whether Temporal would try again. */
const isRetryable = (failure: Error): boolean =>
  !(failure instanceof ApplicationFailure) || failure.nonRetryable !== true;

describe('what a person must mend', () => {
  it.each([
    [invalid('EffectiveCost: expected …'), 'invalid'],
    [notFound('cost source', 'src_1'), 'not_found'],
    [conflict('no'), 'conflict'],
  ])('fails at once, with its own words: %s', (error, type) => {
    const failure = toFailure(error);
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({ message: error.message, type, nonRetryable: true });
  });
});

describe('what may pass', () => {
  it.each([
    'IO Error: Could not read from file "/exports/a.csv": Stale file handle',
    'IO Error: Cannot open file "/exports/a.csv": Too many open files',
    "HTTP Error: HTTP GET error reading 'https://host/a.csv' (HTTP 503 Service Unavailable)",
    "HTTP Error: HTTP GET error reading 'https://host/a.csv' (HTTP 429 Too Many Requests)",
    "HTTP Error: HTTP GET error reading 'https://host/404.csv' (HTTP 500 Internal Server Error)",
    'Out of Memory Error: failed to allocate data of size 32.0 MiB',
    'TransactionContext Error: Failed to commit: Conflict on tuple deletion!',
    'INTERRUPT Error: Interrupted!',
  ])('is tried again: %s', (message) => {
    const error = new Error(message);
    expect(toFailure(error)).toBe(error);
    expect(isRetryable(toFailure(error))).toBe(true);
  });

  it('is also whatever is no error at all', () => {
    expect(toFailure('broken')).toMatchObject({ message: 'broken' });
    expect(isRetryable(toFailure('broken'))).toBe(true);
  });
});

describe('what DuckDB says about files', () => {
  let test: TestWarehouse;
  let server: LocalServer;
  beforeAll(async () => {
    test = await openDuckDb();
    // `/503/focus.csv` answers 503, and so on.
    server = await listenLocally((_, response, url) => {
      response.writeHead(Number(url.pathname.split('/')[1])).end('an answer');
    });
    if (hasHttpfs) {
      await test.warehouse.session(async (session) => {
        await loadExtension(session, 'httpfs', extensionDirectory);
        await session.run('SET GLOBAL http_retry_wait_ms = 1');
      });
    }
  });
  afterAll(async () => {
    await test.close();
    await server.close();
  });

  const failureOf = async (path: string): Promise<Error> => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const { id: sourceId } = await newSource(test.warehouse, orgId);
    const rules = { roots: [test.directory], privateTargets: parsePrivateTargets('127.0.0.1') };
    const read = async () => {
      const paths = path.startsWith('http')
        ? await test.warehouse
            .session((session) => exportFiles(session, path, rules))
            .then(({ files }) => files)
        : [path];
      return loadPaths(test, { orgId, sourceId }, paths);
    };
    const error = await read().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (error === null) throw new Error(`${path} could be read`);
    return toFailure(error);
  };

  it('is bad data when a file is no Parquet, or a part of one', async () => {
    const [, text = '', part = ''] = await writeFiles(test, {
      'place.csv': 'x',
      'text.parquet': 'this is certainly not a Parquet file',
      'part.parquet': '',
    });
    await test.warehouse.run(`COPY (SELECT range AS n FROM range(1000)) TO '${text}.whole' (FORMAT parquet)`);
    await writeFile(part, (await readFile(`${text}.whole`)).subarray(0, 500));
    for (const path of [text, part]) {
      const failure = await failureOf(path);
      expect([path, isRetryable(failure)]).toEqual([path, false]);
      expect(failure.message).toMatch(/magic bytes/i);
    }
  });

  it('is bad data when a compressed file is damaged', async () => {
    const whole = gzipSync(
      focusCsv(Array.from({ length: 5000 }, (_, index) => dayLine('2026-01-10', `1.${index}`))),
    );
    const flipped = Buffer.from(whole);
    flipped.fill(0xff, 2000, 2100);
    const paths = await writeFiles(test, { 'flipped.csv.gz': flipped, 'none.csv.gz': 'not compressed' });
    for (const path of paths) expect([path, isRetryable(await failureOf(path))]).toEqual([path, false]);
  });

  it('may pass when a file went away between listing and reading', async () => {
    expect(isRetryable(await failureOf(join(test.directory, 'gone.csv')))).toBe(true);
  });

  describe.skipIf(!hasHttpfs)(`over HTTP${hasHttpfs ? '' : ' (SKIPPED: needs the extension httpfs)'}`, () => {
    it.each([400, 401, 403, 404, 410])('is final for %i', async (status) => {
      expect(isRetryable(await failureOf(`${server.url}/${status}/focus.csv`))).toBe(false);
    });

    it.each([429, 500, 502, 503])('may pass for %i', async (status) => {
      expect(isRetryable(await failureOf(`${server.url}/${status}/focus.csv`))).toBe(true);
    });

    it('may pass when nobody answers', async () => {
      const gone = await listenLocally((_, response) => response.end());
      await gone.close();
      expect(isRetryable(await failureOf(`${gone.url}/focus.csv`))).toBe(true);
    });

    it('is not taken for a refusal because of a number in the address', async () => {
      expect(isRetryable(await failureOf(`${server.url}/503/accounts/410/gone-live.csv`))).toBe(true);
    });
  });

  it('describes an unreadable file the same way', async () => {
    const [path = ''] = await writeFiles(test, { 'text.parquet': 'this is certainly not a Parquet file' });
    const error = await test.warehouse
      .session((session) => describeFile(session, path))
      .catch((thrown: unknown) => thrown);
    expect(isRetryable(toFailure(error))).toBe(false);
  });
});
