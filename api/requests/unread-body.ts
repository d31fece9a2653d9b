import type { IncomingMessage } from 'node:http';
import type { ServiceError } from '../../domain/shared/errors.ts';
import type { Api } from '../http/api-type.ts';

/**
 * Leaves bodies unread, so that the routes of this scope read them as they arrive.
 *
 * @param refuse returns the error for a content type that the routes do not take, or null.
 */
export function leaveBodiesUnread(app: Api, refuse: (type: string | undefined) => ServiceError | null): void {
  const { validatorCompiler } = app;
  if (validatorCompiler === undefined) throw new Error('the server has no validator');
  app.setValidatorCompiler((route) =>
    route.httpPart === 'body' ? (body: unknown) => ({ value: body }) : validatorCompiler(route),
  );
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, payload: IncomingMessage, done) => {
    const error = refuse(request.headers['content-type']);
    if (error === null) done(null, payload);
    else done(error);
  });
}
