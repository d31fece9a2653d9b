import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { invalid } from '../../domain/shared/errors.ts';
import { forMessage } from '../../domain/shared/text/for-message.ts';
import { hasBody } from './body-pace.ts';
import { refuseBrokenParameters } from './broken-text.ts';
import { gunzipped, isGzipped } from './gzipped-body.ts';
import { envelope, JSON_TYPE, socketAnswer } from '../http/error-answers.ts';
import { refuseBrokenUrl } from '../http/request-url.ts';

/** Answers requests in the envelope that Node would answer by itself, or not at all, before routing. */
export function answerOddRequests(server: Server): void {
  server.on('checkExpectation', ({ headers }, response) => {
    const { expect } = headers;
    response.statusCode = 417;
    response.setHeader('content-type', JSON_TYPE).setHeader('connection', 'close');
    response.end(JSON.stringify(envelope(`expect: expected 100-continue, got ${forMessage(expect)}`)));
  });
  server.on('connect', ({ url }, socket) => {
    socketAnswer(socket, 400, `expected a request to this service, got CONNECT ${url ?? ''}`);
  });
}

/**
 * Rejects requests that no route can take, after the checks of key, quota, permission and plan: a path or query that cannot
 * be decoded or holds control characters (400), and an encoding of the body other than gzip (415). Unpacks gzipped bodies. It
 * always rejects a request without a host.
 */
export function refuseOddRequests(app: FastifyInstance): void {
  app.addHook('onRequest', ({ headers, raw }, _reply, done) => {
    if (headers.host === undefined && raw.httpVersion !== '1.0')
      throw invalid('host: expected a Host header, got nothing');
    done();
  });
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const { headers, originalUrl, params, query, raw, routeOptions } = request;
    refuseBrokenUrl(originalUrl);
    refuseBrokenParameters(params, 'path');
    refuseBrokenParameters(query, 'query');
    // An upload unpacks its body itself, when it has a place for it.
    const isUnpacked = isGzipped(headers) && hasBody(request) && routeOptions.config.takesUpload !== true;
    done(null, isUnpacked ? gunzipped(raw, routeOptions.bodyLimit) : payload);
  });
}
