import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { invalid, ServiceError } from '../../domain/shared/errors.ts';
import { forMessage } from '../../domain/shared/for-message.ts';
import { isUtf8Type } from './body-charset.ts';
import { refuseBrokenText } from './broken-text.ts';
import { refuseRepeatedKeys } from './repeated-keys.ts';
import type { Api } from '../http/api-type.ts';

/** Most levels of nesting in a body. Every schema needs far fewer. */
const DEEPEST = 64;

/** Most commas in a body: about the number of its items and fields. Ten thousand labelled values have a third of them. */
const MOST_COMMAS = 100_000;

/** Accepts JSON only. Many clients name it on every request, so that a request without a body is fine, too. */
export const acceptJsonOnly = (app: Api): void => {
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
      const body = textOf(request, bytes);
      refuseCostly(body);
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
};

const textOf = (request: FastifyRequest, bytes: Buffer): string => {
  const type = request.headers['content-type'] ?? '';
  if (!isUtf8Type(type))
    throw new ServiceError(
      'unsupported_type',
      `content-type: expected JSON in UTF-8, got ${forMessage(type)}`,
    );
  if (!isUtf8(bytes)) throw invalid('body: expected UTF-8, got invalid UTF-8');
  return bytes.toString();
};

const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const COMMA = ','.charCodeAt(0);
const OPENING = new Set(['[', '{'].map((bracket) => bracket.charCodeAt(0)));
const CLOSING = new Set([']', '}'].map((bracket) => bracket.charCodeAt(0)));

/**
 * Throws for a body that is nested too deeply or has too many items. It runs before the parser, because such a body costs
 * far more than its bytes: a schema finds a problem in every item.
 */
const refuseCostly = (body: string): void => {
  let depth = 0;
  let commas = 0;
  let inText = false;
  for (let at = 0; at < body.length; at += 1) {
    const code = body.charCodeAt(at);
    if (code === QUOTE) inText = !inText;
    else if (inText) {
      if (code === BACKSLASH) at += 1;
    } else if (code === COMMA) {
      commas += 1;
      if (commas > MOST_COMMAS)
        throw invalid(`body: expected at most ${MOST_COMMAS} items and fields, got more`);
    } else if (OPENING.has(code)) {
      depth += 1;
      if (depth > DEEPEST) throw invalid(`body: expected at most ${DEEPEST} levels of nesting, got more`);
    } else if (CLOSING.has(code)) depth -= 1;
  }
};
