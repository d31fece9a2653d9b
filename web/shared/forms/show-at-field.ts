import type { UseFormReturnType } from '@mantine/form';
import { messageOf } from '../../http/api-error.ts';
import { problemOf } from '../../http/problem-of-field.ts';

/**
 * Shows what the API refused at the field that its message names, and puts the focus there.
 *
 * @param fieldOf returns the field of the form for a field of the API; null if the form has none.
 * @param reveal shows fields that are hidden.
 */
export const showAtField =
  <Values>(
    form: Pick<UseFormReturnType<Values>, 'setFieldError' | 'getInputNode'>,
    fieldOf: (field: string) => string | null,
    reveal?: () => void,
  ) =>
  (error: unknown): void => {
    const named = problemOf(messageOf(error));
    const field = named === null ? null : fieldOf(named.field);
    if (named === null || field === null) return;
    form.setFieldError(field, `${named.problem.charAt(0).toUpperCase()}${named.problem.slice(1)}`);
    if (form.getInputNode(field) === null) reveal?.();
    form.getInputNode(field)?.focus();
  };
