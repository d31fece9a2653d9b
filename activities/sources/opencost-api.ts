import type { Day } from '../../domain/shared/calendar.ts';
import { invalid, Outage } from '../../domain/shared/errors.ts';
import { guardedRequest, type GuardedAnswer } from '../../egress/requests/guarded-request.ts';
import { mayPass } from '../../egress/requests/passing-status.ts';
import type { PrivateTargets } from '../../egress/requests/private-targets.ts';
import type { ApiAllocation, ApiAsset } from '../../warehouse/sources/opencost/opencost-api-rows.ts';
import type { Answered, AnsweredRows } from './answers/opencost-answers.ts';
import { readApart } from './answers/read-apart.ts';
import { allocationUrl, assetsUrl, formOfBase, kubecostBase, type ApiForm } from './opencost-requests.ts';

/** The API of OpenCost or Kubecost, one UTC day per call (docs/data-formats.md#opencost-and-kubecost). */
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
export function openCostApi(location: string, rules: OpenCostApiRules): OpenCostApi {
  let base = new URL(location);
  let form: ApiForm | null = formOfBase(base) === 'kubecost' ? 'kubecost' : null;

  const get = (url: URL): Promise<GuardedAnswer> =>
    guardedRequest(
      url,
      { headers: { accept: 'application/json' } },
      { timeoutMs: TIMEOUT_MS, mostBytes: MOST_BYTES, longer: 'refuse', field: 'location', ...rules },
    );

  const rowsIn = async <Kind extends keyof Answered>(
    kind: Kind,
    url: URL,
    answer: GuardedAnswer,
  ): Promise<AnsweredRows<Answered[Kind]>> => {
    refuseFailure(url, answer);
    const read = await readApart(kind, answer.text, rules.signal);
    if (read === null) {
      throw notOpenCost(
        url,
        `expected {"code": 200, "data": …}, got ${excerpt(answer.text)}; is it the base URL of its API?`,
      );
    }
    if (read === 'too costly')
      throw notOpenCost(url, 'the answer has too many items, or too many of a wrong shape');
    const { code, message, data } = read;
    const said = `${locationText(url)} answered code ${code}: ${excerpt(message)}`;
    if (mayPass(code)) throw new Outage(said);
    if (code !== 200) throw invalid(said);
    if (data.rows === null) throw notOpenCost(url, data.problem);
    return data;
  };

  /** Returns the first allocations, and finds out which form of the API the host has. */
  const firstAllocations = async (day: Day): Promise<AnsweredRows<ApiAllocation>> => {
    const url = allocationUrl(base, 'opencost', day);
    const answer = await get(url);
    if (isMissing(answer)) {
      const modelUrl = allocationUrl(kubecostBase(base), 'kubecost', day);
      const modelAnswer = await get(modelUrl);
      if (!isMissing(modelAnswer)) {
        const rows = await rowsIn('allocations', modelUrl, modelAnswer);
        base = kubecostBase(base);
        form = 'kubecost';
        return rows;
      }
    }
    const rows = await rowsIn('allocations', url, answer);
    form = 'opencost';
    return rows;
  };

  return {
    allocations: async (day) => {
      if (form === null) return firstAllocations(day);
      const url = allocationUrl(base, form, day);
      return rowsIn('allocations', url, await get(url));
    },
    assets: async (day) => {
      const url = assetsUrl(base, day);
      const answer = await get(url);
      return isMissing(answer) ? null : rowsIn('assets', url, answer);
    },
  };
}

/** Whether the host does not have the path. Some hosts answer an unknown path with 200 and their web page. */
const isMissing = ({ status, text }: GuardedAnswer): boolean =>
  status === 404 || (status === 200 && /^\s*</.test(text));

/** Returns the beginning of a message about a URL, without the URL's query, which may contain a credential. */
const locationText = (url: URL): string => `location: ${url.origin}${url.pathname}`;

const notOpenCost = (url: URL, problem: string): Error =>
  invalid(`${locationText(url)} does not answer like OpenCost: ${problem}`);

const LONGEST_EXCERPT = 200;
const excerpt = (text: string): string => JSON.stringify(text.trim().slice(0, LONGEST_EXCERPT));

/** Throws unless the HTTP status reports success. So must the code of the envelope. */
function refuseFailure(url: URL, { status, text }: GuardedAnswer): void {
  if (status >= 300 && status < 400) {
    throw invalid(
      `${locationText(url)} answered ${status}, a redirect, which is not followed: give the address it leads to`,
    );
  }
  if (mayPass(status)) throw new Outage(`${locationText(url)} answered ${status}: ${excerpt(text)}`);
  if (status !== 200) throw invalid(`${locationText(url)} answered ${status}: ${excerpt(text)}`);
}
