import { z } from 'zod';
import type { ApiAllocation, ApiAsset } from '../../warehouse/sources/opencost/opencost-api-rows.ts';

const text = z.string().nullish();
/** Go writes what is no number as null. */
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

/** The named things of an answer, some null: one object, or a list of them, one per step; an empty day has none. */
const named = <Item extends z.ZodType>(item: Item) => {
  const set = z.record(z.string(), item.nullable()).nullable();
  return z
    .preprocess((data): unknown[] => (isList(data) ? data : [data ?? null]), z.array(set))
    .transform((sets) =>
      sets.flatMap((each) => Object.entries(each ?? {}).map(([name, value]) => ({ name, value }))),
    );
};

const answer = z.object({ code: z.number(), data: z.unknown(), message: z.string().nullish() });

/** What every answer says of itself; an object without anything is an empty day. Null for another shape. */
export const envelopeOf = (json: unknown): z.infer<typeof answer> | null => {
  if (typeof json === 'object' && json !== null && Object.keys(json).length === 0)
    return { code: 200, data: null };
  return answer.safeParse(json).data ?? null;
};

/** The rows of an answer. `leftOut` counts what is null, or of a kind that no bill has. */
export interface AnsweredRows<Row> {
  rows: Row[];
  leftOut: number;
}

/** Why an answer's data is not what it should be, or the rows that it is. */
type Parsed<Row> = (AnsweredRows<Row> & { problem: null }) | { rows: null; problem: string };

/** `rowOf` returns null for a thing that is no row. */
const parse = <Item extends z.ZodType, Row>(
  item: Item,
  data: unknown,
  rowOf: (name: string, value: NonNullable<z.output<Item>>) => Row | null,
): Parsed<Row> => {
  const parsed = named(item).safeParse(data);
  if (parsed.success) {
    const items = parsed.data as { name: string; value: NonNullable<z.output<Item>> | null }[];
    const rows = items
      .map(({ name, value }) => (value === null ? null : rowOf(name, value)))
      .filter((row) => row !== null);
    return { rows, leftOut: items.length - rows.length, problem: null };
  }
  const [issue] = parsed.error.issues;
  return { rows: null, problem: `data.${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unknown shape'}` };
};

/** The allocations in an answer's `data`. */
export const allocationsOf = (data: unknown): Parsed<ApiAllocation> =>
  parse(allocation, data, (name, value) => toAllocation(value.name ?? name, value));

const toAllocation = (name: string, { properties, ...costs }: z.infer<typeof allocation>): ApiAllocation => {
  const told = propertiesInName(name);
  return {
    name,
    cluster: present(properties?.cluster) ?? told.cluster,
    namespace: present(properties?.namespace) ?? told.namespace,
    controllerKind: present(properties?.controllerKind) ?? told.controllerKind,
    controller: present(properties?.controller) ?? told.controller,
    totalCost: exact(costs.totalCost),
    sharedCost: exact(costs.sharedCost),
    externalCost: exact(costs.externalCost),
  };
};

/**
 * What the name of an allocation says: `cluster/namespace/kind/controller`, or `cluster/__idle__`. A cluster's name
 * may hold slashes itself (an ARN), the others cannot; a controller may repeat its kind (`deployment:api`).
 */
const propertiesInName = (name: string) => {
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
};

/** The kinds that a bill can know; OpenCost also lists network, cloud and shared cost. */
const KINDS = new Set(['Node', 'Disk', 'LoadBalancer', 'ClusterManagement']);

/** The nodes, disks, load balancers and management fees in an answer's `data`. */
export const assetsOf = (data: unknown): Parsed<ApiAsset> =>
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

const present = (value: string | null | undefined): string | null =>
  value === undefined || value === '' ? null : value;

/** A number as the shortest decimal that stands for it. */
const exact = (value: number | null | undefined): string | null =>
  value === null || value === undefined ? null : value.toString();
