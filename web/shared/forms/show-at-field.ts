import type { UseFormReturnType } from '@mantine/form';
import { messageOf } from '../../http/api-error.ts';
import { problemOf } from '../../http/problem-of-field.ts';

/** A form whose fields can show why they are refused. */
type RefusedForm<Values> = Pick<UseFormReturnType<Values>, 'setFieldError' | 'getInputNode'>;

/** Shows a problem at a field, and puts the focus there. `reveal` shows fields that are hidden. */
export function showProblem<Values>(
  form: RefusedForm<Values>,
  { field, problem }: { field: string; problem: string },
  reveal?: () => void,
): void {
  form.setFieldError(field, `${problem.charAt(0).toUpperCase()}${problem.slice(1)}`);
  if (form.getInputNode(field) === null) reveal?.();
  form.getInputNode(field)?.focus();
}

/**
 * Shows what the API refused at the field that its message names, and puts the focus there.
 *
 * @param fieldOf returns the field of the form for a field of the API; null if the form has none.
 * @param reveal shows fields that are hidden.
 */
export const showAtField =
  <Values>(form: RefusedForm<Values>, fieldOf: (field: string) => string | null, reveal?: () => void) =>
  (error: unknown): void => {
    const named = problemOf(messageOf(error));
    const field = named === null ? null : fieldOf(named.field);
    if (named !== null && field !== null) showProblem(form, { field, problem: named.problem }, reveal);
  };
