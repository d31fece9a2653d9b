import { withoutCells } from '../../domain/shared/text/without-cells.ts';
import { isInternal } from './failures.ts';

/** An error as the log may show it. */
export type LoggedError = Pick<Error, 'name' | 'message' | 'stack'>;

/** Returns an error of JavaScript for the log, which alone shows it. */
export const causeOf = (error: unknown): { err?: LoggedError } =>
  isInternal(error) ? { err: errorForLog(error) } : {};

/** Returns an error for the log. Its message can repeat a cell, and the first lines of its stack repeat the message. */
export function errorForLog({ name, message, stack = '' }: Error): LoggedError {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return { name, message: withoutCells(message), stack: frames.join('\n') };
}
