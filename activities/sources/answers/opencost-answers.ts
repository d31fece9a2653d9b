import { z } from 'zod';
import { expectation } from '../../../domain/shared/text/expectation.ts';
import { answerJson } from '../../../egress/requests/answer-json.ts';
import type { ApiAllocation, ApiAsset } from '../../../warehouse/sources/opencost/opencost-api-rows.ts';

/** What an API answers with. */
export interface Answered {
  allocations: ApiAllocation;
  assets: ApiAsset;
}

/** An answer of an API: the code and message of its envelope, and its rows if the code is 200. */
export interface Answer<Row> {
  code: number;
  message: string;
  data: Parsed<Row>;
}

/** Most items and fields in an answer: those of a day of fifty thousand workloads, of which each has some fifty. */
const MOST_ITEMS = 4_000_000;

/** Returns the answer in a text; null for another text. */
export function readAnswer<Kind extends keyof Answered>(
  kind: Kind,
  text: string,
): Answer<Answered[Kind]> | null {
  const envelope = envelopeOf(answerJson(text, MOST_ITEMS));
  if (envelope === null) return null;
  const { code, message, data } = envelope;
  const parsed = code === 200 ? PARSERS[kind](data) : { rows: null, problem: '' };
  return { code, message: message ?? '', data: parsed };
}

const text = z.string().nullish();
/** Go writes an amount that is not a number as null. */
const amount = z.number().nullish();

const allocation = z.object({
  name: text,
  properties: z.object({ cluster: text, namespace: text, controllerKind: text, controller: text }).nullish(),
  totalCost: amount,
  sharedCost: amount,
  externalCost: amount,
});

const asset = z.object({
  type: text,
  properties: z.object({ cluster: text, providerID: text, project: text }).nullish(),
  totalCost: amount,
});

const isList = (data: unknown): data is unknown[] => Array.isArray(data);

/** Returns the schema of an answer's named items, some null: one object, or a list with one per step. An empty day is null. */
function named<Item extends z.ZodType>(item: Item) {
  const set = z.record(z.string(), item.nullable()).nullable();
  return z
    .preprocess((data): unknown[] => (isList(data) ? data : [data ?? null]), z.array(set))
    .transform((sets) =>
      sets.flatMap((each) => Object.entries(each ?? {}).map(([name, value]) => ({ name, value }))),
    );
}

const answer = z.object({ code: z.number(), data: z.unknown(), message: z.string().nullish() });

/** Returns the envelope of an answer; null for another shape. An empty object is an empty day. */
function envelopeOf(json: unknown): z.infer<typeof answer> | null {
  if (typeof json === 'object' && json !== null && !isList(json) && Object.keys(json).length === 0)
    return { code: 200, data: null };
  return answer.safeParse(json).data ?? null;
}

/** The rows of an answer. `leftOut` counts items that are null, or of a kind that no bill has. */
export interface AnsweredRows<Row> {
  rows: Row[];
  leftOut: number;
}

/** The rows of an answer's data, or why it has another shape. */
type Parsed<Row> = (AnsweredRows<Row> & { problem: null }) | { rows: null; problem: string };

/** Parses an answer's data. `rowOf` returns null for an item that is not a row. */
function parse<Item extends z.ZodType, Row>(
  item: Item,
  data: unknown,
  rowOf: (name: string, value: NonNullable<z.output<Item>>) => Row | null,
): Parsed<Row> {
  const parsed = named(item).safeParse(data);
  if (parsed.success) {
    const items = parsed.data as { name: string; value: NonNullable<z.output<Item>> | null }[];
    const rows = items
      .map(({ name, value }) => (value === null ? null : rowOf(name, value)))
      .filter((row) => row !== null);
    return { rows, leftOut: items.length - rows.length, problem: null };
  }
  const [issue] = parsed.error.issues;
  return {
    rows: null,
    problem: issue === undefined ? 'unknown shape' : `data.${issue.path.join('.')}: ${expectation(issue)}`,
  };
}

const allocationsOf = (data: unknown): Parsed<ApiAllocation> =>
  parse(allocation, data, (name, value) => toAllocation(value.name ?? name, value));

function toAllocation(name: string, { properties, ...costs }: z.infer<typeof allocation>): ApiAllocation {
  const fromName = propertiesInName(name);
  return {
    name,
    cluster: present(properties?.cluster) ?? fromName.cluster,
    namespace: present(properties?.namespace) ?? fromName.namespace,
    controllerKind: present(properties?.controllerKind) ?? fromName.controllerKind,
    controller: present(properties?.controller) ?? fromName.controller,
    totalCost: exact(costs.totalCost),
    sharedCost: exact(costs.sharedCost),
    externalCost: exact(costs.externalCost),
  };
}

/**
 * Returns the properties in an allocation's name: `cluster/namespace/kind/controller`, or `cluster/__idle__`. A cluster's name
 * may contain slashes (an ARN), the other names cannot. A controller may repeat its kind (`deployment:api`).
 */
function propertiesInName(name: string) {
  const parts = name.split('/');
  const [namespace = null, controllerKind = null, controller = null] =
    parts.length > 3 ? parts.slice(-3) : [];
  const cluster = parts.slice(0, parts.length > 3 ? -3 : parts.length > 1 ? 1 : 0).join('/');
  return {
    cluster: /^(__.*)?$/.test(cluster) ? null : cluster,
    namespace,
    controllerKind,
    controller: controller?.replace(/^[^:]*:/, '') ?? null,
  };
}

/** The kinds of assets that a bill can have. OpenCost also lists network, cloud and shared cost. */
const KINDS = new Set(['Node', 'Disk', 'LoadBalancer', 'ClusterManagement']);

/** Returns the nodes, disks, load balancers and management fees in an answer's `data`. */
const assetsOf = (data: unknown): Parsed<ApiAsset> =>
  parse(asset, data, (_name, { type, properties, totalCost }) =>
    type === null || type === undefined || !KINDS.has(type)
      ? null
      : {
          kind: type,
          cluster: present(properties?.cluster),
          providerId: present(properties?.providerID),
          project: present(properties?.project),
          totalCost: exact(totalCost),
        },
  );

const PARSERS: { [Kind in keyof Answered]: (data: unknown) => Parsed<Answered[Kind]> } = {
  allocations: allocationsOf,
  assets: assetsOf,
};

const present = (value: string | null | undefined): string | null =>
  value === undefined || value === '' ? null : value;

/** Returns the shortest decimal that stands for a number. */
const exact = (value: number | null | undefined): string | null =>
  value === null || value === undefined ? null : value.toString();
