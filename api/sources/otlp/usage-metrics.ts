import { z } from 'zod';
import { invalid } from '../../../domain/shared/errors.ts';
import { exportRequest } from '../../../domain/sources/otlp/export-request.ts';
import { REPOSITORY_ATTRIBUTE, usagePoints } from '../../../domain/sources/otlp/usage-points.ts';
import { COST_SOURCES } from '../../../warehouse/sources/cost-sources.ts';
import { storePoints } from '../../../warehouse/sources/usage/store-points.ts';
import { callerOf } from '../../access/authentication.ts';
import type { ApiDependencies } from '../../http/dependencies.ts';
import { found } from '../../http/found.ts';
import { route, tagged, type Asked, type Replying } from '../../routes/route.ts';
import { inTypeOf, speakOtlp } from './otlp-bodies.ts';

/** Unpacked. A collector sends up to 8,192 points at once. */
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_POINTS = 10_000;
const MOST_REASONS = 3;

const sourceQuery = z.strictObject({
  source: z
    .string({ error: 'expected the id of a cost source of kind ai_tools' })
    .describe('The cost source whose spend the usage divides'),
});

/** Numbers of 64 bits are texts, as in all JSON of OTLP. */
const exportAnswer = z
  .object({
    partialSuccess: z.object({ rejectedDataPoints: z.string(), errorMessage: z.string() }).optional(),
  })
  .meta({ id: 'OtlpMetricsAnswer' });

async function postMetrics(
  request: Asked<{ body: typeof exportRequest; query: typeof sourceQuery }>,
  { warehouse, clock }: ApiDependencies,
  { reply }: Replying,
) {
  const { organisation } = callerOf(request);
  const { source: id } = request.query;
  const source = found('cost source', id, await COST_SOURCES.find(warehouse, organisation.id, id));
  if (source.kind !== 'ai_tools')
    throw invalid(`source: expected a cost source of kind ai_tools, got one of kind ${source.kind}`);
  const attribute = source.options.repository_attribute ?? REPOSITORY_ATTRIBUTE;
  const { points, rejected, reasons } = usagePoints(request.body, attribute, clock.now());
  if (points.length > MOST_POINTS)
    throw invalid(`body: expected at most ${MOST_POINTS} points, got ${points.length}; send smaller batches`);
  await storePoints(warehouse, organisation.id, source.id, points);
  return inTypeOf(
    request,
    reply,
    rejected === 0
      ? {}
      : {
          partialSuccess: {
            rejectedDataPoints: String(rejected),
            errorMessage: reasons.slice(0, MOST_REASONS).join('; '),
          },
        },
  );
}

/** Usage by repository that programs send (docs/data-formats.md#usage-by-opentelemetry). */
export const usageMetricRoutes = tagged('Cost sources', [
  route('POST /otlp/v1/metrics', {
    access: 'send_usage',
    operationId: 'exportUsageMetrics',
    summary: 'Send the usage of AI tools by repository, as OpenTelemetry metrics',
    description:
      'OTLP over HTTP, in JSON or as `application/x-protobuf`: an exporter of OpenTelemetry sends it. Takes `claude_code.cost.usage` and ' +
      '`claude_code.token.usage`, and ignores other metrics. The usage counts from the next run of the source. Points that were ' +
      `stored before change nothing. At most 4 MiB and ${MOST_POINTS.toLocaleString('en-US')} points. Answers as OTLP does, without an envelope.`,
    errors: [404],
    bodyLimit: MOST_BYTES,
    query: sourceQuery,
    body: exportRequest,
    answer: exportAnswer,
    scope: speakOtlp,
    handle: postMetrics,
  }),
]);
