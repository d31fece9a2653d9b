import type { Day } from '../../../domain/shared/calendar.ts';
import { listenLocally, type LocalServer } from './file-server.ts';

/** The costs of a fake cluster by day, as the `data` of its answers. A missing day is empty. */
export interface FakeCluster {
  allocations: Record<Day, unknown>;
  /** Null: the API has no /assets. */
  assets: Record<Day, unknown> | null;
}

/** An answer in place of the usual one. */
export interface OtherAnswer {
  status: number;
  body: string;
  headers?: Record<string, string>;
}

/** A server that speaks OpenCost's protocol, or below `/model` Kubecost's. */
export interface FakeOpenCost extends LocalServer {
  cluster: FakeCluster;
  /** If set, it is called for each request. If it returns undefined, the usual answer follows. */
  instead: ((url: URL) => OtherAnswer | undefined) | null;
}

const RFC_3339_DAY = /^(\d{4}-\d\d-\d\d)T00:00:00Z,(\d{4}-\d\d-\d\d)T00:00:00Z$/;
const DAY_MS = 86_400_000;

/** Starts a fake cluster. `prefix` is the path of its API: empty for OpenCost, `/model` for Kubecost. */
export async function startFakeOpenCost(cluster: FakeCluster, prefix = ''): Promise<FakeOpenCost> {
  const answerOf = (url: URL): OtherAnswer => {
    const other = fake.instead?.(url);
    if (other !== undefined) return other;
    const path = url.pathname;
    const data =
      path === `${prefix}/allocation`
        ? fake.cluster.allocations
        : path === `${prefix}/assets`
          ? fake.cluster.assets
          : null;
    if (data === null) return { status: 404, body: '404 page not found\n' };
    const [, start = '', end = ''] = RFC_3339_DAY.exec(url.searchParams.get('window') ?? '') ?? [];
    if (Date.parse(end) - Date.parse(start) !== DAY_MS) {
      return { status: 400, body: `Invalid 'window' parameter: illegal window\n` };
    }
    const empty = path.endsWith('/assets') ? {} : [{}];
    return { status: 200, body: JSON.stringify({ code: 200, data: data[start] ?? empty }) };
  };
  const server = await listenLocally((_request, response, url) => {
    const { status, body, headers } = answerOf(url);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  });
  const fake: FakeOpenCost = { ...server, cluster, instead: null };
  return fake;
}

/** Returns an allocation as OpenCost aggregates it by cluster, namespace, controller kind and controller. */
export function allocation(
  [cluster, namespace, controllerKind, controller]: [string, string, string, string],
  totalCost: number | null,
  more: object = {},
): Record<string, unknown> {
  const name = `${cluster}/${namespace}/${controllerKind}/${controllerKind}:${controller}`;
  return {
    [name]: {
      name,
      properties: { cluster, namespace, controllerKind, controller },
      window: { start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z' },
      cpuCost: totalCost,
      cpuCostAdjustment: 0,
      gpuCost: null,
      sharedCost: 0,
      externalCost: 0,
      totalCost,
      ...more,
    },
  };
}

/** Returns a node as /assets lists it. */
export const node = (
  cluster: string,
  providerID: string,
  totalCost: number | null,
): Record<string, unknown> => ({
  [`GCP/__undefined__/acme/Compute/${cluster}/Node/Kubernetes/${providerID}/${providerID}`]: {
    type: 'Node',
    properties: {
      category: 'Compute',
      provider: 'GCP',
      project: 'acme',
      cluster,
      providerID,
      name: providerID,
    },
    cpuCost: totalCost,
    totalCost,
  },
});
