import {
  context,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Tracer,
} from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of the request, for what its handler begins; null if there are no traces. */
    traced: Context | null;
  }
}

/**
 * Gives each request a span, below the span of its caller if the caller sends one (`traceparent`). The span has the route rather
 * than the URL, whose query can hold a customer's labels. Call this before anything else adds hooks.
 */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.decorateRequest('traced', null);

  app.addHook('onRequest', (request, reply, done) => {
    const { method, routeOptions } = request;
    const route = routeOptions.url ?? 'unknown';
    const caller = propagation.extract(context.active(), request.headers);
    const span = tracer.startSpan(
      `${method} ${route}`,
      { kind: SpanKind.SERVER, attributes: { 'http.request.method': method, 'http.route': route } },
      caller,
    );
    // Also if the client has gone before the answer.
    reply.raw.once('close', () => {
      const organisation = request.caller?.organisation.id;
      if (organisation !== undefined) span.setAttribute('cost_analytics.organisation', organisation);
      span.setAttribute('http.response.status_code', reply.statusCode);
      if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    request.traced = trace.setSpan(caller, span);
    context.with(request.traced, done);
  });

  // The events of a body do not carry the context to what follows them.
  app.addHook('preValidation', (request, _reply, done) => {
    context.with(request.traced ?? context.active(), done);
  });
}
