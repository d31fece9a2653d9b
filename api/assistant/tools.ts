import { METRIC_TOOLS } from './metric-tools.ts';
import { SPEND_TOOLS } from './spend-tools.ts';
import { TEAM_TOOLS } from './team-tools.ts';
import type { Tool } from './tool.ts';

/** Every tool of the assistant by its name. All of them only read. */
export const TOOLS: ReadonlyMap<string, Tool> = new Map(
  [...METRIC_TOOLS, ...SPEND_TOOLS, ...TEAM_TOOLS].map((each) => [each.listed.name, each]),
);
