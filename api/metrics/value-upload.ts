import { z } from 'zod';
import { invalid, ServiceError } from '../../domain/shared/errors.ts';
import { forMessage } from '../../domain/shared/text/for-message.ts';
import { asUtf8, CSV_CHARSETS, type CsvCharset } from '../../warehouse/metrics/csv/csv-encoding.ts';
import { MOST_CSV_VALUES } from '../../warehouse/metrics/csv/csv-values.ts';
import { callerOf } from '../access/authentication.ts';
import { charsetIn } from '../requests/body-charset.ts';
import type { NamedMetric } from '../access/revenue-access.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { success, successOf } from '../routes/bodies.ts';
import { route, tagged, type Asked, type Replying } from '../routes/route.ts';
import { closeSignal } from '../http/files/tabular.ts';
import { leaveBodiesUnread } from '../requests/unread-body.ts';
import { uploadIn } from '../requests/upload.ts';
import type { UploadPlaces } from '../requests/upload-places.ts';
import { storeCsv } from './store-values.ts';
import { keyChange, writeResult } from './value-fields.ts';

/** What takes uploads beside the rest. All of a process share their places. */
interface UploadDependencies extends ApiDependencies {
  uploads: UploadPlaces;
}

/** Two hundred thousand lines with long labels fit. */
const MOST_BYTES = 64 * 1024 * 1024;

const unsupported = (type: string | undefined): ServiceError =>
  new ServiceError(
    'unsupported_type',
    `content-type: expected text/csv, in UTF-8 or UTF-16 where it names a charset, got ${forMessage(type)}`,
  );

/** Returns the charset that the type of a CSV file names, null if it names none, and undefined for any other type. */
const csvCharset = (type = ''): CsvCharset | null | undefined =>
  type.split(';', 1)[0]?.trim().toLowerCase() === 'text/csv' ? charsetIn(type, CSV_CHARSETS) : undefined;

async function postCsv(
  request: Asked,
  { warehouse, clock, uploads }: UploadDependencies,
  { reply, ...changed }: NamedMetric & Replying,
) {
  const caller = callerOf(request);
  const type = request.headers['content-type'];
  const charset = csvCharset(type);
  if (request.body !== request.raw || charset === undefined) throw unsupported(type);
  const change = keyChange(caller, 'csv', clock.now());
  const giveBack = uploads.take(caller.organisation.id);
  const closed = closeSignal(reply);
  const upload = uploadIn(request.raw, MOST_BYTES);
  try {
    return success(
      await storeCsv(warehouse, caller, changed, asUtf8(upload.bytes(), charset), change, closed),
    );
  } catch (error) {
    await upload.end();
    throw closed.aborted ? invalid('body: the client closed the connection before the answer') : error;
  } finally {
    if (closed.aborted) giveBack();
    else closed.addEventListener('abort', giveBack);
  }
}

/** Values from a file (docs/http.md#send-values). */
export const valueUploadRoutes = tagged({ tag: 'Values', plan: 'unit_economics' }, [
  route('POST /metrics/:id/values/csv', {
    access: 'send_files',
    changesNumbers: true,
    takesUpload: true,
    bodyLimit: MOST_BYTES,
    operationId: 'storeValuesFromCsv',
    summary: 'Create or replace values from a CSV file; all or none',
    description:
      `\`period,value\` or, on a metric with a label key, \`period,label,value\`; at most ${MOST_CSV_VALUES.toLocaleString('en-US')} lines and ` +
      '64 MiB, in UTF-8, or in UTF-16 with a byte order mark. A header names the columns in any order; then semicolons or tabs ' +
      'may separate them. An error names the first ten wrong lines. Each organisation has at most two uploads at once.',
    body: z.string().meta({ format: 'binary', description: 'The file' }),
    consumes: 'text/csv',
    answer: successOf(writeResult),
    scope: (app) => {
      leaveBodiesUnread(app, (type) => (csvCharset(type) === undefined ? unsupported(type) : null));
    },
    metric: 'change',
    handle: postCsv,
  }),
]);
