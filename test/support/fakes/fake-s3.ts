import { listenLocally, sendContent, type LocalServer } from './file-server.ts';

/**
 * Starts a server with the part of S3's protocol that sources and exports need, path style: ListObjectsV2 in pages, GET and HEAD
 * of an object, with ranges, and PUT and DELETE. Like S3, it rejects requests that are not signed with `keyId`, and shows an
 * object only once all of it has arrived.
 *
 * @param objects content by `bucket/key`. It may change while the server runs.
 * @param sent is told how many bytes of an object the server sends.
 * @param holdsBack whether the server never answers the request of an object.
 */
export const startFakeS3 = (
  objects: Map<string, Buffer>,
  keyId: string,
  sent: (object: string, bytes: number) => void = () => undefined,
  holdsBack: (object: string) => boolean = () => false,
): Promise<LocalServer> =>
  listenLocally((request, response, url) => {
    const signature = request.headers.authorization ?? '';
    if (!signature.startsWith(`AWS4-HMAC-SHA256 Credential=${keyId}/`)) {
      fail(403, 'AccessDenied');
      return;
    }
    const [bucket = '', ...rest] = decodeURIComponent(url.pathname).slice(1).split('/');
    const key = rest.join('/');
    if (key === '' && url.searchParams.get('list-type') === '2') {
      const body = listing(bucket, url.searchParams);
      response.writeHead(200, { 'content-type': 'application/xml' }).end(body);
      return;
    }
    if (request.method === 'PUT') {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        objects.set(`${bucket}/${key}`, Buffer.concat(parts));
        response.writeHead(200).end();
      });
      return;
    }
    if (request.method === 'DELETE') {
      objects.delete(`${bucket}/${key}`);
      response.writeHead(204).end();
      return;
    }
    const content = objects.get(`${bucket}/${key}`);
    if (content === undefined) fail(404, 'NoSuchKey');
    else if (!holdsBack(`${bucket}/${key}`)) {
      sendContent(request, response, content);
      if (request.method === 'GET')
        sent(`${bucket}/${key}`, Number(response.getHeader('content-length') ?? 0));
    }

    function fail(status: number, code: string): void {
      const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`;
      response.writeHead(status, { 'content-type': 'application/xml' });
      response.end(request.method === 'HEAD' ? undefined : body);
    }

    function listing(name: string, query: URLSearchParams): string {
      const prefix = query.get('prefix') ?? '';
      const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
      const keys = [...objects.keys()]
        .filter((path) => path.startsWith(`${name}/${prefix}`))
        .map((path) => path.slice(name.length + 1))
        .filter((path) => path > after)
        .sort();
      const pageOf = keys.slice(0, PAGE);
      const truncated = keys.length > PAGE;
      const contents = pageOf.map((path) => {
        const size = objects.get(`${name}/${path}`)?.length ?? 0;
        const encoded = query.get('encoding-type') === 'url' ? encodeURIComponent(path) : path;
        return (
          `<Contents><Key>${encoded}</Key><LastModified>2026-02-07T05:00:00.000Z</LastModified>` +
          `<ETag>&quot;${size}&quot;</ETag><Size>${size}</Size><StorageClass>STANDARD</StorageClass></Contents>`
        );
      });
      return (
        `<?xml version="1.0" encoding="UTF-8"?>` +
        `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${name}</Name>` +
        `<Prefix>${prefix}</Prefix><KeyCount>${pageOf.length}</KeyCount><MaxKeys>${PAGE}</MaxKeys>` +
        `<IsTruncated>${String(truncated)}</IsTruncated>` +
        (truncated ? `<NextContinuationToken>${pageOf.at(-1) ?? ''}</NextContinuationToken>` : '') +
        `${contents.join('')}</ListBucketResult>`
      );
    }
  });

/** Small, so that a listing of a few objects takes more than one page. */
const PAGE = 2;
