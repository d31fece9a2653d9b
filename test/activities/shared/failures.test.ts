import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { isTriedAgain, toFailure } from '../../../activities/shared/failures.ts';
import { ingestSource } from '../../../activities/sources/ingest-source.ts';
import { conflict, invalid, notFound, Outage, unavailable } from '../../../domain/shared/errors.ts';
import { describeFile } from '../../support/warehouse/describe-file.ts';
import { loadExtension } from '../../../warehouse/engine/opening/extensions.ts';
import { openDuckDb } from '../../support/warehouse/engines.ts';
import { lacking } from '../../support/needs.ts';
import { loading, ingestOf } from '../../support/warehouse/feeds.ts';
import { listenLocally } from '../../support/fakes/file-server.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { SELF_SIGNED } from '../../support/fakes/self-signed.ts';
import { newOrganisation, newSource, writeFiles } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

const why = lacking('extensions');

describe('an error that a user must correct', () => {
  it.each([
    [invalid('EffectiveCost: expected …'), 'invalid'],
    [notFound('cost source', 'src_1'), 'not_found'],
    [conflict('no'), 'conflict'],
  ])('fails at once with its own message: %s', (error, type) => {
    const failure = toFailure(error, 1);
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({ message: error.message, type, nonRetryable: true });
  });
});

describe('a transient error', () => {
  it.each([
    'IO Error: Could not read from file "/exports/a.csv": Stale file handle',
    'IO Error: Cannot open file "/exports/a.csv": Too many open files',
    'IO Error: No files found that match the pattern "/exports/gone-since.csv"',
    "HTTP Error: HTTP GET error reading 'https://host/a.csv' (HTTP 503 Service Unavailable)",
    "HTTP Error: HTTP GET error reading 'https://host/a.csv' (HTTP 429 Too Many Requests)",
    "HTTP Error: HTTP GET error reading 'https://host/404.csv' (HTTP 500 Internal Server Error)",
    'TransactionContext Error: Failed to commit: Conflict on tuple deletion!',
    'connect ECONNREFUSED 10.0.0.7:443',
  ])('is retried after any number of attempts: %s', (message) => {
    for (const attempt of [1, 3, 15])
      expect(toFailure(new Error(message), attempt)).toMatchObject({ message, nonRetryable: false });
  });

  it.each([
    'IO Error: Unable to connect to Postgres at "dbname=catalog": connection to server failed: Connection refused',
    'Invalid Error: Failed to execute query "SELECT 1": server closed the connection unexpectedly',
  ])('of the catalog names neither its host nor its database: %s', (message) => {
    for (const attempt of [1, 15])
      expect(toFailure(new Error(message), attempt)).toMatchObject({
        message: 'the catalog of the warehouse is away',
        nonRetryable: false,
      });
  });

  it('is retried if it is an outage, whatever its message', () => {
    for (const error of [new Outage('the host has gone fishing'), unavailable()])
      expect(toFailure(error, 7)).toMatchObject({ nonRetryable: false });
  });
});

describe('a host that aborts a transfer', () => {
  it.each([
    'Transferred a partial file',
    'Failure when receiving data from the peer',
    'Failed to read connection',
  ])('is retried: %s', (words) => {
    const message = `Invalid Error: ${words}`;
    expect(toFailure(new Error(message), 15)).toMatchObject({ message, nonRetryable: false });
  });
});

describe('an unknown error', () => {
  it.each([
    new Error('Out of Memory Error: failed to allocate data of size 32.0 MiB'),
    new Error('TransactionContext Error: Failed to commit: Checkpoint failed for database "warehouse".'),
    new Error('INTERNAL Error: Attempted to access index 3 within vector of size 3'),
    new TypeError("Cannot read properties of undefined (reading 'x')"),
    'broken',
  ])('is tried three times: %s', (error) => {
    expect([1, 2, 3].map((attempt) => isTriedAgain(toFailure(error, attempt)))).toEqual([true, true, false]);
  });
});

describe('an error of JavaScript', () => {
  it.each([
    new TypeError("Cannot read properties of undefined (reading 'x')"),
    new SyntaxError('Unexpected token \'a\', "a secret cell" is not valid JSON'),
    new RangeError('Maximum call stack size exceeded'),
  ])('reaches nobody with its own words: %s', (error) => {
    expect(toFailure(error, 1).message).toBe(
      'an unexpected error of the service; its log has the cause, so ask the operator',
    );
  });
});

describe('an allocation that fails in DuckDB', () => {
  it.each([
    'Out of Memory Error: could not allocate block of size 256.0 KiB (953.5 MiB/953.6 MiB used)\n\nPossible solutions:\n* Reducing the number of threads (SET threads=X)',
    'TransactionContext Error: Failed to commit: failed to pin block of size 256.0 KiB (953.5 MiB/953.6 MiB used)',
    'Invalid Input Error: failed to allocate data of size 32.0 MiB (950.0 MiB/953.6 MiB used)',
  ])('names the setting, and is tried three times: %s', (message) => {
    const failures = [1, 2, 3].map((attempt) => toFailure(new Error(message), attempt));
    expect(failures.map(isTriedAgain)).toEqual([true, true, false]);
    for (const failure of failures)
      expect(failure.message).toMatch(/^the load needs more memory than DUCKDB_MEMORY_LIMIT gives: [^*]*$/);
  });
});

describe('a permanent error of DuckDB or the system', () => {
  it.each([
    'IO Error: Cannot open file "/exports/a.csv": Permission denied',
    'Invalid Error: TProtocolException: Invalid data',
    "Invalid Error: don't know what type: ",
    'IO Error: Could not read enough bytes from file "/exports/a.parquet": attempted to read 9 bytes from location 7',
    'Invalid Input Error: Failed to read file "/exports/a.parquet": ZSTD Decompression failure',
    `Conversion Error: Could not convert string 'failed to pin block' to DATE`,
    'Out of Range Error: Overflow in HUGEINT addition',
    "ENXIO: no such device or address, open '/exports/a.csv'",
    "EACCES: permission denied, open '/exports/a.csv'",
    "IO Error: SSL peer certificate or SSH remote key was not OK error for HTTP HEAD to 'https://host/a.csv'",
    "IO Error: SSL connect error error for HTTP HEAD to 'https://host/a.csv'",
  ])('fails at once: %s', (message) => {
    expect(toFailure(new Error(message), 1)).toMatchObject({ message, nonRetryable: true });
  });
});

describe('a file that DuckDB cannot read', () => {
  const test = withOpened(openDuckDb);
  // `/503/focus.csv` returns 503, and so on. `/200/focus.csv` aborts the transfer.
  const server = withOpened(() =>
    listenLocally(({ method }, response, url) => {
      const status = Number(url.pathname.split('/')[1]);
      if (status === 302) response.setHeader('location', 'http://[bad/x.csv');
      if (status !== 200) {
        response.writeHead(status).end('an answer');
        return;
      }
      const lines = Array.from({ length: 5000 }, (_, index) => dayLine('2026-01-10', `1.${index}`));
      const text = Buffer.from(focusCsv(lines));
      const content = url.pathname.endsWith('.gz') ? gzipSync(text) : text;
      response.writeHead(200, { 'content-length': content.length });
      if (method === 'HEAD') response.end();
      else response.write(content.subarray(0, content.length / 2), () => response.destroy());
    }),
  );

  const failureOf = async (location: string): Promise<Error> => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const source = await newSource(test.warehouse, orgId, { location });
    const error = await loading(test, async (sessions) => {
      if (why === '') {
        await loadExtension(sessions.reader, 'httpfs', test.settings.extensions);
        await sessions.reader.run('SET GLOBAL http_retry_wait_ms = 1');
      }
      return ingestSource(source, ingestOf(test, sessions, { orgId, sourceId: source.id }));
    }).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (error === null) throw new Error(`${location} could be read`);
    return toFailure(error, 1);
  };

  it('fails at once if it is not Parquet, or only a part of a Parquet file', async () => {
    const [, text = '', part = ''] = await writeFiles(test, {
      'place.csv': 'x',
      'text.parquet': 'this is certainly not a Parquet file',
      'part.parquet': '',
    });
    await test.warehouse.run(`COPY (SELECT range AS n FROM range(1000)) TO '${text}.whole' (FORMAT parquet)`);
    await writeFile(part, (await readFile(`${text}.whole`)).subarray(0, 500));
    for (const path of [text, part]) {
      const failure = await failureOf(path);
      expect([path, isTriedAgain(failure)]).toEqual([path, false]);
      expect(failure.message).toMatch(/magic bytes/i);
    }
  });

  it('fails at once if it is compressed and damaged', async () => {
    const whole = gzipSync(
      focusCsv(Array.from({ length: 5000 }, (_, index) => dayLine('2026-01-10', `1.${index}`))),
    );
    const flipped = Buffer.from(whole);
    flipped.fill(0xff, 2000, 2100);
    const paths = await writeFiles(test, { 'flipped.csv.gz': flipped, 'none.csv.gz': 'not compressed' });
    for (const path of paths) expect([path, isTriedAgain(await failureOf(path))]).toEqual([path, false]);
  });

  describe.skipIf(why !== '')(`over HTTP${why}`, () => {
    it.each([400, 401, 403, 404, 410, 501, 505])('fails at once for status %i', async (status) => {
      expect(isTriedAgain(await failureOf(`${server.url}/${status}/focus.csv`))).toBe(false);
    });

    it.each([429, 500, 502, 503])('is retried for status %i', async (status) => {
      expect(isTriedAgain(await failureOf(`${server.url}/${status}/focus.csv`))).toBe(true);
    });

    it('is retried if no host answers', async () => {
      const gone = await listenLocally((_, response) => response.end());
      await gone.close();
      expect(isTriedAgain(await failureOf(`${gone.url}/focus.csv`))).toBe(true);
    });

    it.each(['focus.csv', 'focus.csv.gz'])('is retried if the transfer of %s aborts', async (name) => {
      const failure = await failureOf(`${server.url}/200/${name}`);
      expect([failure.message, isTriedAgain(failure)]).toEqual([failure.message, true]);
    });

    it('fails at once for a redirect to an invalid URL', async () => {
      const failure = await failureOf(`${server.url}/302/focus.csv`);
      expect(isTriedAgain(failure)).toBe(false);
      expect(failure.message).toBe(
        `location: ${new URL(server.url).host} redirects to no valid URL, expected one with https: or http:`,
      );
    });

    it('fails at once for a self-signed certificate, and for a host without TLS', async () => {
      const tls = createServer(SELF_SIGNED, (_, response) => response.end());
      await new Promise<void>((listening) => tls.listen(0, '127.0.0.1', listening));
      const { port } = tls.address() as AddressInfo;
      const [secure, plain] = await Promise.all([
        failureOf(`https://127.0.0.1:${port}/focus.csv`),
        failureOf(`${server.url.replace('http:', 'https:')}/503/focus.csv`),
      ]);
      tls.close();
      expect([secure, plain].map(isTriedAgain)).toEqual([false, false]);
      expect(secure.message).toBe(
        `location: 127.0.0.1:${port} cannot be reached: expected a valid TLS certificate of this host, ` +
          'got DEPTH_ZERO_SELF_SIGNED_CERT; check the address and its certificate',
      );
      expect(plain.message).toMatch(/expected a valid TLS certificate of this host, got EPROTO/);
    });

    it('is retried for status 503 if its address contains 410', async () => {
      expect(isTriedAgain(await failureOf(`${server.url}/503/accounts/410/gone-live.csv`))).toBe(true);
    });
  });

  it('fails at once when its columns are read', async () => {
    const [path = ''] = await writeFiles(test, { 'text.parquet': 'this is certainly not a Parquet file' });
    const error = await test.warehouse
      .session((session) => describeFile(session, path))
      .catch((thrown: unknown) => thrown);
    expect(isTriedAgain(toFailure(error, 1))).toBe(false);
  });
});
