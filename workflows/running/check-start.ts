import { ApplicationFailure, workflowInfo, type WorkflowInterceptors } from '@temporalio/workflow';
import { forMessage } from '../../domain/shared/text/for-message.ts';
import { WORKFLOW_NAMES, workflowIdOf, WORKFLOWS, type WorkflowName, type Workflows } from '../contract.ts';
import type { Field } from '../input-fields.ts';

function refuse(what: string, expected: string, given: unknown): never {
  throw ApplicationFailure.nonRetryable(`${what}: expected ${expected}, got ${forMessage(given)}`, 'invalid');
}

/** Returns the arguments with the fields that were left out. Fails with the name of a wrong field. */
function checked(name: WorkflowName, args: readonly unknown[]): unknown[] {
  const fields: Record<string, Field> = WORKFLOWS[name].fields;
  const [given, ...others] = args;
  if (Object.keys(fields).length === 0) return args.length === 0 ? [] : refuse('input', 'nothing', given);
  if (!isPlainObject(given))
    return refuse('input', `one object with ${Object.keys(fields).join(', ')}`, given);
  if (others.length > 0) return refuse('input', 'one object, and nothing after it', others[0]);
  const input: Record<string, unknown> = { ...given };
  for (const field of Object.keys(input))
    if (!Object.hasOwn(fields, field)) refuse('input', `only ${Object.keys(fields).join(', ')}`, field);
  for (const [field, { expected, allows, otherwise }] of Object.entries(fields)) {
    if (input[field] === undefined && otherwise !== undefined) input[field] = otherwise;
    if (!allows(input[field])) refuse(field, expected, input[field]);
  }
  const { startMonth: start, endMonth: end } = input;
  if (typeof start === 'string' && typeof end === 'string' && end < start)
    refuse('endMonth', `no month before the startMonth ${start}`, end);
  return [input];
}

const isPlainObject = (given: unknown): given is object =>
  typeof given === 'object' && given !== null && !Array.isArray(given) && !ArrayBuffer.isView(given);

/**
 * Checks the type, the input and the id of a workflow, because people start workflows with Temporal's own tools. Under another id it could
 * run beside the one of the schedule. A workflow that is refused stores nothing. The bundle includes these interceptors.
 */
export const interceptors = (): WorkflowInterceptors => ({
  inbound: [
    {
      execute: async (input, next) => {
        const { workflowType, workflowId } = workflowInfo();
        const name = workflowType as WorkflowName;
        if (!WORKFLOW_NAMES.includes(name))
          refuse('workflow type', `one of ${WORKFLOW_NAMES.join(', ')}`, workflowType);
        const args = checked(name, input.args);
        // A schedule adds its time to the id.
        if (WORKFLOWS[name].schedule === null) {
          const expected = workflowIdOf(name, ...(args as Parameters<Workflows[typeof name]>));
          if (workflowId !== expected) refuse('workflow id', expected, workflowId);
        }
        return next({ ...input, args });
      },
    },
  ],
});
