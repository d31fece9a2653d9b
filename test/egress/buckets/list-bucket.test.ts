import { describe, expect, it } from 'vitest';
import { NO_BUCKETS, type Buckets } from '../../../domain/sources/exports/object-storage.ts';
import { listBucket } from '../../../egress/buckets/list-bucket.ts';
import { parsePrivateTargets } from '../../../egress/requests/private-targets.ts';
import { startAzurite } from '../../support/fakes/buckets/azurite.ts';
import { startFakeS3 } from '../../support/fakes/fake-s3.ts';
import { listenLocally } from '../../support/fakes/file-server.ts';
import { withOpened } from '../../support/with-opened.ts';

const rulesOf = (buckets: Partial<Buckets>, signal = AbortSignal.timeout(60_000)) => ({
  buckets: { ...NO_BUCKETS, ...buckets },
  privateTargets: parsePrivateTargets('127.0.0.1'),
  field: 'location',
  signal,
});

const s3At = (endpoint: string) => ({
  s3: { keyId: 'AKIA', secret: 's', sessionToken: null, region: null, endpoint },
});

/** A server that answers every listing so. */
async function answering(text: string, work: (url: string) => Promise<void>): Promise<void> {
  const server = await listenLocally((_request, response) => response.end(text));
  await work(server.url).finally(() => server.close());
}

describe('the list of a bucket', () => {
  const names = ['a b/ü&<1>.csv', "a b/2+3=5%'().csv", 'a b/c/4.csv', 'other/5.csv', 'z.csv'];

  describe('of S3', () => {
    const objects = new Map(names.map((name) => [`bucket/${name}`, Buffer.from('12345')]));
    const storage = withOpened(() => startFakeS3(objects, 'AKIA'));

    it('has the objects of all pages below a prefix, with size, time and version', async () => {
      const files = await listBucket('s3://bucket/a b/', rulesOf(s3At(storage.url)));
      expect(files).toEqual(
        names
          .slice(0, 3)
          .sort()
          .map((name) => ({
            path: `s3://bucket/${name}`,
            bytes: 5,
            etag: '"5"',
            writtenAt: Date.parse('2026-02-07T05:00:00Z'),
          })),
      );
    });

    it('ends with as many as were asked for', async () => {
      const asked = storage.requests.length;
      expect((await listBucket('s3://bucket/', rulesOf(s3At(storage.url)), 1)).length).toBeGreaterThan(0);
      expect(storage.requests).toHaveLength(asked + 1);
    });
  });

  describe('of Azure', () => {
    const azurite = withOpened(() => startAzurite(['acmebills']));
    const az = () => ({
      az: { sasToken: null, accountKey: azurite.keyOf('acmebills'), endpoint: azurite.url },
    });

    it('has the blobs below a prefix, for which an account key signs', async () => {
      for (const name of names) await azurite.put('acmebills', 'exports', name, '12345');
      const files = await listBucket('az://acmebills/exports/a b/', rulesOf(az()));
      expect(files.map(({ path, bytes }) => [path, bytes])).toEqual(
        names
          .slice(0, 3)
          .sort()
          .map((name) => [`az://acmebills/exports/${name}`, 5]),
      );
      expect(files.every(({ etag, writtenAt }) => etag !== '' && writtenAt !== null)).toBe(true);
    });

    it('has another version of a blob that was written again', async () => {
      const versionOf = async () => (await listBucket('az://acmebills/exports/z', rulesOf(az())))[0]?.etag;
      await azurite.put('acmebills', 'exports', 'z.csv', '1');
      const before = await versionOf();
      await azurite.put('acmebills', 'exports', 'z.csv', '1');
      expect(await versionOf()).not.toBe(before);
    });

    it('has no folders of a hierarchical namespace', async () => {
      const blob = (name: string, more: string) =>
        `<Blob><Name>${name}</Name><Properties><Content-Length>0</Content-Length><Etag>0x1</Etag></Properties>${more}</Blob>`;
      const text =
        '<EnumerationResults ContainerName="exports"><Blobs>' +
        blob('2026', '<Metadata><hdi_isfolder>true</hdi_isfolder></Metadata>') +
        blob('2026/01', '<ResourceType>directory</ResourceType>') +
        blob('2026/01/a.csv', '<Metadata />') +
        '</Blobs><NextMarker /></EnumerationResults>';
      await answering(text, async (endpoint) => {
        const files = await listBucket(
          'az://acme/exports/',
          rulesOf({ az: { sasToken: 'sig=x', accountKey: null, endpoint } }),
        );
        expect(files.map(({ path }) => path)).toEqual(['az://acme/exports/2026/01/a.csv']);
      });
    });
  });

  it('is refused if the server is no storage, or never comes to an end', async () => {
    await answering('<html>', async (url) => {
      await expect(listBucket('s3://bucket/', rulesOf(s3At(url)))).rejects.toThrow(
        /^location: .* does not answer like an object storage: check the endpoint$/,
      );
    });
    const endless = `<ListBucketResult>${'<Contents>'.repeat(100_000)}<NextContinuationToken>x</NextContinuationToken></ListBucketResult>`;
    await answering(endless.replace(/<Contents>/g, ''), async (url) => {
      await expect(listBucket('s3://bucket/', rulesOf(s3At(url)))).rejects.toThrow(
        'location: s3://bucket/ has more than 1000000 objects: name a folder with fewer',
      );
    });
    await answering(endless.replace('Next', 'No'), async (url) => {
      expect(await listBucket('s3://bucket/', rulesOf(s3At(url)))).toHaveLength(100_000);
    });
  });
});
