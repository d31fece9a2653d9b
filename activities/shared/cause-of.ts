import { withoutCells } from '../../domain/shared/without-cells.ts';
import { isInternal } from './failures.ts';

/** Returns an error of JavaScript for the log, which alone shows it. Its message can repeat a cell, and the first lines of its stack the message. */
export const causeOf = (error: unknown): { err?: Pick<Error, 'name' | 'message' | 'stack'> } => {
  if (!isInternal(error)) return {};
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  const stack = frames?.join('\n') ?? '';
  return { err: { name: error.name, message: withoutCells(error.message), stack } };
};
