import type { z } from 'zod';
import { forMessage } from './for-message.ts';

/** Returns what a schema expected, in our own words: `expected at most 3 items`. */
export function expectation(issue: z.core.$ZodIssue): string {
  if (issue.message.startsWith('expected')) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${issue.expected}`;
    case 'invalid_value':
      return `expected ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(forMessage).join(', ')}`;
    case 'too_small':
      return `expected at least ${issue.minimum} ${issue.origin === 'array' ? 'items' : issue.origin === 'string' ? 'characters' : ''}`.trim();
    case 'too_big':
      return `expected at most ${issue.maximum} ${issue.origin === 'array' ? 'items' : issue.origin === 'string' ? 'characters' : ''}`.trim();
    default:
      return `expected a valid value (${issue.message})`;
  }
}
