import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { Metric } from '../../warehouse/metrics/metrics.ts';
import type { Caller } from '../access/authentication.ts';
import { invalidInput } from '../http/invalid-input.ts';
import type { ApiAnswer, AskApi } from '../access/ask-api.ts';

/** What a tool may use to answer a call. */
export interface Asking {
  organisation: Caller['organisation'];
  ask: AskApi;
  /** Returns the definition of a metric whose numbers the API has shown to the caller. Throws a 404. */
  definitionOf: (metricId: string) => Promise<Metric>;
}

/** A read-only tool of the assistant. */
export interface Tool {
  listed: ListedTool;
  /** Throws a 400 that names the argument if `given` does not fit, and what the API refuses. */
  answer: (given: unknown, asking: Asking) => Promise<Record<string, unknown>>;
}

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

/** Makes a tool. Its schema checks the arguments, and is what models see of them. */
export const tool = <Input extends z.ZodObject>({
  input,
  answer,
  ...listed
}: {
  name: string;
  title: string;
  /** What the tool answers, and when to choose it. */
  description: string;
  input: Input;
  answer: (asked: z.infer<Input>, asking: Asking) => Promise<Record<string, unknown>>;
}): Tool => ({
  listed: {
    ...listed,
    inputSchema: z.toJSONSchema(input, { io: 'input' }) as ListedTool['inputSchema'],
    annotations: READ_ONLY,
  },
  answer: async (given = {}, asking) => {
    const parsed = input.safeParse(given);
    if (!parsed.success) throw invalidInput(parsed.error, given, 'arguments');
    return answer(parsed.data, asking);
  },
});

/** Returns an answer of the API with what a reader needs to interpret it: whose it is, its currency, and what its fields mean. */
export const explained = (
  { name, currency }: Asking['organisation'],
  answer: ApiAnswer,
  notes: readonly string[],
): Record<string, unknown> => ({ organisation: { name, currency }, currency, ...answer, notes });
