import { expect, it } from 'vitest';
import { WORKFLOW_NAMES } from '../../workflows/contract.ts';
import * as registry from '../../workflows/registry.ts';

it('a worker registers every workflow, and refuses the start of any other', () => {
  expect(Object.keys(registry).sort()).toEqual([...WORKFLOW_NAMES, 'default'].sort());
});
