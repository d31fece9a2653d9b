import type { Day } from '../../domain/shared/calendar.ts';
import { invalid, Outage } from '../../domain/shared/errors.ts';
import { guardedRequest, type GuardedAnswer } from '../../egress/requests/guarded-request.ts';
import { mayPass } from '../../egress/requests/passing-status.ts';
import type { PrivateTargets } from '../../egress/requests/private-targets.ts';
import type { ApiAllocation, ApiAsset } from '../../warehouse/sources/opencost/opencost-api-rows.ts';
import { allocationsOf, assetsOf, envelopeOf, type AnsweredRows } from './opencost-answers.ts';
import { allocationUrl, assetsUrl, formOfBase, kubecostBase, type ApiForm } from './opencost-requests.ts';

/** The API of OpenCost or Kubecost, one UTC day per call (sources §2). */
export interface OpenCostApi {
  allocations: (day: Day) => Promise<AnsweredRows<ApiAllocation>>;
  /** Returns null if the API has no assets. */
  assets: (day: Day) => Promise<AnsweredRows<ApiAsset> | null>;
}

export interface OpenCostApiRules {
  privateTargets: PrivateTargets;
  signal: AbortSignal;
  timeoutMs?: number;
  mostBytes?: number;
}

/** OpenCost can take minutes to answer for one day of a large cluster. */
const TIMEOUT_MS = 300_000;
/** Enough for one day of some ten thousand workloads, aggregated by controller. */
const MOST_BYTES = 128 * 1024 * 1024;

/**
 * Returns the API below a base URL. Its calls throw `invalid` if a person must act (a wrong address, a refusal, an answer that
 * is not OpenCost's), and Outage if the problem may pass.
 */
export const openCostApi = (location: string, rules: OpenCostApiRules): OpenCostApi => {
  let base = new URL(location);
  let form: ApiForm | null = formOfBase(base) === 'kubecost' ? 'kubecost' : null;

  const get = (url: URL): Promise<GuardedAnswer> =>
    guardedRequest(
      url,
      { headers: { accept: 'application/json' } },
      { timeoutMs: TIMEOUT_MS, mostBytes: MOST_BYTES, longer: 'refuse', field: 'location', ...rules },
    );

  const dataAt = async (url: URL, answer?: GuardedAnswer): Promise<unknown> =>
    envelopeIn(url, answer ?? (await get(url))).data;

  /** Returns the first allocations, and finds out which form of the API the host has. */
  const firstAllocations = async (day: Day): Promise<unknown> => {
    const url = allocationUrl(base, 'opencost', day);
    const answer = await get(url);
    if (isMissing(answer)) {
      const modelUrl = allocationUrl(kubecostBase(base), 'kubecost', day);
      const modelAnswer = await get(modelUrl);
      if (!isMissing(modelAnswer)) {
        const data = await dataAt(modelUrl, modelAnswer);
        base = kubecostBase(base);
        form = 'kubecost';
        return data;
      }
    }
    const data = await dataAt(url, answer);
    form = 'opencost';
    return data;
  };

  return {
    allocations: async (day) => {
      const data = form === null ? await firstAllocations(day) : await dataAt(allocationUrl(base, form, day));
      const parsed = allocationsOf(data);
      if (parsed.rows === null)
        throw notOpenCost(allocationUrl(base, form ?? 'opencost', day), parsed.problem);
      return parsed;
    },
    assets: async (day) => {
      const url = assetsUrl(base, day);
      const answer = await get(url);
      if (isMissing(answer)) return null;
      const parsed = assetsOf(await dataAt(url, answer));
      if (parsed.rows === null) throw notOpenCost(url, parsed.problem);
      return parsed;
    },
  };
};

/** Whether the host does not have the path. Some hosts answer an unknown path with 200 and their web page. */
const isMissing = ({ status, text }: GuardedAnswer): boolean =>
  status === 404 || (status === 200 && /^\s*</.test(text));

/** Returns the beginning of a message about a URL, without the URL's query, which may contain a credential. */
const locationText = (url: URL): string => `location: ${url.origin}${url.pathname}`;

const notOpenCost = (url: URL, problem: string): Error =>
  invalid(`${locationText(url)} does not answer like OpenCost: ${problem}`);

const LONGEST_EXCERPT = 200;
const excerpt = (text: string): string => JSON.stringify(text.trim().slice(0, LONGEST_EXCERPT));

/** Returns an answer's envelope. Throws unless both the HTTP status and the envelope's code report success (sources §2). */
const envelopeIn = (url: URL, { status, text }: GuardedAnswer): { data: unknown } => {
  if (status >= 300 && status < 400) {
    throw invalid(
      `${locationText(url)} answered ${status}, a redirect, which is not followed: give the address it leads to`,
    );
  }
  if (mayPass(status)) throw new Outage(`${locationText(url)} answered ${status}: ${excerpt(text)}`);
  if (status !== 200) throw invalid(`${locationText(url)} answered ${status}: ${excerpt(text)}`);
  const envelope = envelopeOf(parseJson(text));
  if (envelope === null) {
    throw notOpenCost(
      url,
      `expected {"code": 200, "data": …}, got ${excerpt(text)}; is it the base URL of its API?`,
    );
  }
  const message = `${locationText(url)} answered code ${envelope.code}: ${excerpt(envelope.message ?? '')}`;
  if (mayPass(envelope.code)) throw new Outage(message);
  if (envelope.code !== 200) throw invalid(message);
  return envelope;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
