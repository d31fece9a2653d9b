import { z } from 'zod';
import { invalid, tooLarge } from '../../domain/shared/errors.ts';
import { formatProblem } from '../../domain/sources/uploads/sent-format.ts';
import { uploadedName } from '../../domain/sources/uploads/uploaded-name.ts';
import { COST_SOURCES } from '../../warehouse/sources/cost-sources.ts';
import { refuseTooManyBytes, storeContent } from '../../warehouse/sources/uploads/uploaded-contents.ts';
import {
  deleteUpload,
  publishUpload,
  refuseOtherSources,
  uploadedFiles,
  type UploadedFile,
} from '../../warehouse/sources/uploads/uploaded-files.ts';
import { callerOf, changeBy } from '../access/authentication.ts';
import { requested } from '../access/requested.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { instant } from '../http/fields.ts';
import { found } from '../http/found.ts';
import { closeSignal } from '../http/files/tabular.ts';
import { leaveBodiesUnread } from '../requests/unread-body.ts';
import { uploadIn } from '../requests/upload.ts';
import type { UploadPlaces } from '../requests/upload-places.ts';
import { noBody, success, successOf } from '../routes/bodies.ts';
import { route, tagged, type Asked, type AskedById, type Replying } from '../routes/route.ts';

/** What takes uploads beside the rest. All of a process share their places. */
interface UploadDependencies extends ApiDependencies {
  uploads: UploadPlaces;
}

const sentFile = z
  .object({
    name: z.string(),
    bytes: z.number(),
    sha256: z.string().describe('The SHA-256 of its bytes, in hexadecimal digits'),
    sent_at: instant,
  })
  .meta({ id: 'SentFile' });

const fileParams = z.strictObject({ id: z.string(), name: uploadedName });

const toWire = ({ file_name: name, content: { bytes, sha256 }, sent_at }: UploadedFile) => ({
  name,
  bytes,
  sha256,
  sent_at,
});

async function getFiles(request: AskedById, { warehouse }: ApiDependencies) {
  const source = await requested('cost source', COST_SOURCES, warehouse, request);
  const files = await uploadedFiles(warehouse, callerOf(request).organisation.id, source.id);
  return success(files.map(toWire));
}

async function putFile(
  request: Asked<{ params: typeof fileParams }>,
  dependencies: UploadDependencies,
  { reply }: Replying,
) {
  const { warehouse, clock, uploads, uploadLimit: mostBytes } = dependencies;
  const caller = callerOf(request);
  const { id: orgId } = caller.organisation;
  const { id: sourceId, name } = request.params;
  const limits = { mostBytes };
  const giveBack = uploads.take(orgId);
  const closed = closeSignal(reply);
  const upload = uploadIn(request.raw, mostBytes);
  try {
    found('cost source', sourceId, await COST_SOURCES.find(warehouse, orgId, sourceId));
    await refuseOtherSources(warehouse, orgId, sourceId);
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > mostBytes) throw tooLarge(mostBytes);
    await refuseTooManyBytes(warehouse, orgId, announced, limits);
    const content = await storeContent(warehouse, orgId, ofFormat(name, upload.bytes()));
    if (content.bytes === 0) throw invalid(`body: ${formatProblem(name, Buffer.alloc(0)) ?? ''}`);
    const by = changeBy(caller, clock.now());
    return success(toWire(await publishUpload(warehouse, orgId, { sourceId, name, content, limits }, by)));
  } catch (error) {
    await upload.end();
    throw closed.aborted ? invalid('body: the client closed the connection before the answer') : error;
  } finally {
    if (closed.aborted) giveBack();
    else closed.addEventListener('abort', giveBack);
  }
}

/** The first bytes by which formats are told apart. */
const HEAD_BYTES = 8;

/** Yields the bytes of a file. Throws `invalid` once its beginning is not of the format that its name says. */
async function* ofFormat(name: string, bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | null = Buffer.alloc(0);
  for await (const piece of bytes) {
    if (head === null) {
      yield piece;
      continue;
    }
    head = Buffer.concat([head, piece]);
    if (head.length < HEAD_BYTES) continue;
    refuseFormat(name, head);
    yield head;
    head = null;
  }
  if (head === null || head.length === 0) return;
  refuseFormat(name, head);
  yield head;
}

function refuseFormat(name: string, head: Buffer): void {
  const problem = formatProblem(name, head);
  if (problem !== null) throw invalid(`body: ${problem}`);
}

async function deleteFile(
  request: Asked<{ params: typeof fileParams }>,
  { warehouse, clock }: ApiDependencies,
) {
  const caller = callerOf(request);
  const { id: orgId } = caller.organisation;
  const { id: sourceId, name } = request.params;
  found('cost source', sourceId, await COST_SOURCES.find(warehouse, orgId, sourceId));
  const by = changeBy(caller, clock.now());
  return success(toWire(found('file', name, await deleteUpload(warehouse, orgId, { sourceId, name }, by))));
}

/** Files that people send for a source whose location is `upload` (docs/http.md#send-a-file). */
export const sourceFileRoutes = tagged('Cost sources', [
  route('GET /cost-sources/:id/files', {
    access: 'read',
    operationId: 'listSourceFiles',
    summary: 'The files that were sent for a source, by name',
    answer: successOf(z.array(sentFile)),
    handle: getFiles,
  }),
  route('PUT /cost-sources/:id/files/:name', {
    access: 'admin',
    takesUpload: true,
    operationId: 'sendSourceFile',
    summary: 'Send a file of a source, or send it again',
    description:
      'For sources whose `location` is `upload`. The name ends in `.csv`, `.csv.gz` or `.parquet`. The body is the file, of any content type, up to ' +
      'UPLOAD_LIMIT (256 MiB). The next ingest reads it.',
    errors: [409],
    params: fileParams,
    body: z.string().meta({ format: 'binary', description: 'The file' }),
    consumes: 'application/octet-stream',
    answer: successOf(sentFile),
    scope: (app) => {
      leaveBodiesUnread(app, () => null);
    },
    handle: putFile,
  }),
  route('DELETE /cost-sources/:id/files/:name', {
    access: 'admin',
    operationId: 'deleteSourceFile',
    summary: 'Delete a file of a source; what was read of it stays',
    params: fileParams,
    body: noBody,
    answer: successOf(sentFile),
    handle: deleteFile,
  }),
]);
