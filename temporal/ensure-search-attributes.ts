import { setTimeout as sleep } from 'node:timers/promises';
import { isGrpcServiceError, type Connection } from '@temporalio/client';

/** The types of search attributes, with the numbers of the API's enum `IndexedValueType`. */
const TYPE_NUMBERS = {
  Text: 1,
  Keyword: 2,
  Int: 3,
  Double: 4,
  Bool: 5,
  Datetime: 6,
  KeywordList: 7,
} as const;

/** Name of each search attribute to its type. */
export type SearchAttributes = Record<string, keyof typeof TYPE_NUMBERS>;

/** Searches workflows by the attributes. Fails while the server does not know one of them. */
export async function searchBy(
  { workflowService }: Connection,
  namespace: string,
  searchAttributes: SearchAttributes,
): Promise<void> {
  const conditions = Object.keys(searchAttributes).map((name) => `${name} IS NULL`);
  await workflowService.countWorkflowExecutions({ namespace, query: conditions.join(' AND ') });
}

const LONGEST_WAIT_MS = 60_000;
const LOOK_EVERY_MS = 500;

/** Waits until a server knows new attributes, for at most a minute. Until then, it refuses workflows that have them. */
export async function untilSearchable(...search: Parameters<typeof searchBy>): Promise<void> {
  const deadline = Date.now() + LONGEST_WAIT_MS;
  for (;;) {
    try {
      await searchBy(...search);
      return;
    } catch (error) {
      if (!isGrpcServiceError(error) || Date.now() >= deadline) throw error;
    }
    await sleep(LOOK_EVERY_MS);
  }
}

/**
 * Adds the search attributes that the namespace does not have yet. The option of the dev server only
 * takes effect when it creates the namespace, so one that a later release introduces comes this way.
 *
 * @throws if the namespace has an attribute of that name with another type, which cannot be changed
 */
export async function ensureSearchAttributes(
  connection: Connection,
  namespace: string,
  searchAttributes: SearchAttributes,
): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.entries(searchAttributes).filter(([name, type]) => {
    const present: number | undefined = customAttributes[name];
    if (present !== undefined && present !== TYPE_NUMBERS[type]) {
      throw new Error(`Temporal namespace ${namespace}: search attribute ${name} is not of type ${type}`);
    }
    return present === undefined;
  });
  if (missing.length === 0) return;
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(missing.map(([name, type]) => [name, TYPE_NUMBERS[type]])),
  });
}
