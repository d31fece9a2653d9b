import type { IncomingMessage, ServerResponse } from 'node:http';
import { listenLocally, type LocalServer } from '../file-server.ts';
import { FakeProject, type Answer, type FakeError, type JobConfiguration } from './fake-project.ts';
import { newServiceAccount, tokenProblem, type FakeServiceAccount } from './service-account.ts';

/** A request of the API that an import makes. */
interface FakeCall {
  kind: 'dryRun' | 'insert' | 'job' | 'results' | 'cancel' | 'other';
  /** The number of the request at this server, from 1. */
  number: number;
  url: URL;
}

/**
 * What happens to a request instead of the usual: an error, a body as it is, a connection cut before the work or in the middle of
 * its answer, or no answer at all.
 */
export type Fault = FakeError | { status: number; body: string } | 'cut' | 'cut the answer' | 'silence';

/** A project, and the service account that runs its queries. */
interface Owned {
  project: FakeProject;
  account: FakeServiceAccount;
}

/** A server that speaks BigQuery's REST protocol, version 2, for a project with its service account, and for its neighbours. */
export interface FakeBigQuery extends LocalServer, Owned {
  /** Projects of others. */
  neighbours: Owned[];
  /** Once true, the account's key is rejected. */
  revoked: boolean;
  /** The Authorization headers that were received. */
  tokens: Set<string>;
  /** If set, it is called for each request with a valid token. If it returns undefined, the usual answer follows. */
  instead: ((call: FakeCall) => Fault | undefined) | null;
  /** If set, it is called after each answer was sent. */
  answered: ((call: FakeCall) => void) | null;
}

const UNAUTHENTICATED: FakeError = {
  status: 401,
  reason: 'authError',
  message:
    'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.',
};

/** Starts a fake BigQuery on a free loopback port. */
export async function startFakeBigQuery(account = newServiceAccount()): Promise<FakeBigQuery> {
  const own = { project: newProject(account), account };
  const answer = async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    const body = await bodyOf(request);
    const call: FakeCall = { kind: kindOf(request, url, body), number: fake.requests.length, url };
    const { authorization } = request.headers;
    if (authorization !== undefined) fake.tokens.add(authorization);
    const { project, account } = [own, ...fake.neighbours].find((one) => isOf(one.project, url)) ?? own;
    const rejected = fake.revoked || tokenProblem(authorization, account) !== null;
    const fault = rejected ? UNAUTHENTICATED : fake.instead?.(call);
    if (fault === 'cut') {
      request.socket.destroy();
      return;
    }
    if (fault === 'silence') return;
    if (typeof fault === 'object' && 'body' in fault) {
      response.writeHead(fault.status, { 'content-type': 'text/html' }).end(fault.body);
      return;
    }
    const result = typeof fault === 'object' ? { error: fault } : await answerOf(project, call, body);
    const { status, text } = written(result);
    // The real API writes UTF-8 in capitals.
    response.writeHead(status, {
      'content-type': 'application/json; charset=UTF-8',
      'content-length': Buffer.byteLength(text),
    });
    if (fault === 'cut the answer') {
      response.write(text.slice(0, text.length / 2), () => request.socket.destroy());
      return;
    }
    response.end(text, () => fake.answered?.(call));
  };
  const server = await listenLocally((request, response, url) => {
    answer(request, response, url).catch(() => response.destroy());
  });
  const fake: FakeBigQuery = {
    ...server,
    ...own,
    neighbours: [],
    revoked: false,
    tokens: new Set(),
    instead: null,
    answered: null,
  };
  return fake;
}

/** Returns the project of a service account. */
export const newProject = (account: FakeServiceAccount): FakeProject =>
  new FakeProject(account.key['project_id'] ?? '');

const isOf = ({ id }: FakeProject, { pathname }: URL): boolean =>
  pathname.startsWith(`/bigquery/v2/projects/${id}/`);

interface InsertBody {
  jobReference?: { jobId?: string; location?: string };
  configuration: JobConfiguration;
}

async function bodyOf(request: IncomingMessage): Promise<InsertBody | null> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? null : (JSON.parse(text) as InsertBody);
}

/** The part of a path after the project. */
const resourceOf = ({ pathname }: URL): string[] =>
  pathname.replace(/^\/bigquery\/v2\/projects\/[^/]+\//, '').split('/');

function kindOf({ method }: IncomingMessage, url: URL, body: InsertBody | null): FakeCall['kind'] {
  const [collection, , action] = resourceOf(url);
  if (method === 'POST' && collection === 'jobs')
    return action === 'cancel' ? 'cancel' : body?.configuration.dryRun === true ? 'dryRun' : 'insert';
  if (collection === 'jobs') return 'job';
  return collection === 'queries' ? 'results' : 'other';
}

const NOT_FOUND: FakeError = { status: 404, reason: 'notFound', message: 'Not found' };

async function answerOf(
  project: FakeProject,
  { kind, url }: FakeCall,
  body: InsertBody | null,
): Promise<Answer> {
  const [, id = ''] = resourceOf(url);
  const location = url.searchParams.get('location');
  if (!isOf(project, url)) {
    const [, named = ''] = /^\/bigquery\/v2\/projects\/([^/]+)/.exec(url.pathname) ?? [];
    return { error: { ...NOT_FOUND, message: `Not found: Project ${named}` } };
  }
  switch (kind) {
    case 'dryRun':
    case 'insert':
      return body === null ? { error: NOT_FOUND } : project.insert(body);
    case 'job':
      return project.job(id, location);
    case 'results':
      return project.results(id, url.searchParams);
    case 'cancel':
      return project.cancel(id, location);
    case 'other':
      return { error: NOT_FOUND };
  }
}

const STATUS: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ALREADY_EXISTS',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

function written(answer: Answer): { status: number; text: string } {
  if ('resource' in answer) return { status: 200, text: JSON.stringify(answer.resource) };
  const { status: code, reason, message } = answer.error;
  const errors = [{ message, domain: 'global', reason }];
  return { status: code, text: JSON.stringify({ error: { code, message, errors, status: STATUS[code] } }) };
}
