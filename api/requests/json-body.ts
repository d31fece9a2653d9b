import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { invalid, ServiceError } from '../../domain/shared/errors.ts';
import { forMessage } from '../../domain/shared/text/for-message.ts';
import { costlyJson } from '../../domain/shared/json-cost.ts';
import { isUtf8Type } from './body-charset.ts';
import { refuseBrokenText } from './broken-text.ts';
import { refuseRepeatedKeys } from './repeated-keys.ts';
import type { Api } from '../http/api-type.ts';

/** Most items and fields in a body. Ten thousand labelled values have less than half of them. */
const MOST_ITEMS = 100_000;

/** Accepts JSON only. Many clients name it on every request, so that a request without a body is fine, too. */
export function acceptJsonOnly(app: Api): void {
  app.removeContentTypeParser('text/plain');
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (bytes.length === 0) {
      done(null);
      return;
    }
    const attempt = (step: () => void): void => {
      try {
        step();
      } catch (error) {
        done(error as Error);
      }
    };
    attempt(() => {
      // Before the text is made, which costs the most.
      const problem = costlyJson(bytes, MOST_ITEMS);
      if (problem !== null) throw invalid(`body: ${problem}`);
      const body = textOf(request, bytes);
      void parse(request, body, (error: Error | null, parsed?: unknown) => {
        // The parser would report an error from here as broken JSON.
        attempt(() => {
          if (error !== null) throw error;
          refuseRepeatedKeys(body);
          refuseBrokenText(body, parsed, request.routeOptions.config.ownTextRules);
          done(null, parsed);
        });
      });
    });
  });
}

function textOf(request: FastifyRequest, bytes: Buffer): string {
  const type = request.headers['content-type'] ?? '';
  if (!isUtf8Type(type))
    throw new ServiceError(
      'unsupported_type',
      `content-type: expected JSON in UTF-8, got ${forMessage(type)}`,
    );
  if (!isUtf8(bytes)) throw invalid('body: expected UTF-8, got invalid UTF-8');
  return bytes.toString();
}
