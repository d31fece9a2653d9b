import type { CostSource } from './sources-queries.ts';

export type SourceKind = CostSource['kind'];

/** What the kinds of sources are called, and where their files come from. */
export const SOURCE_KINDS: Record<SourceKind, { label: string; location: string }> = {
  focus: {
    label: 'Cloud bill (FOCUS)',
    location: 'A path, glob or URI of FOCUS exports, as CSV or Parquet files.',
  },
  opencost: {
    label: 'Kubernetes (OpenCost)',
    location: 'The base URL of an OpenCost API, or a path, glob or URI of its exports.',
  },
  hosts: { label: 'Hosts', location: 'A path, glob or URI of CSV or Parquet files with the cost of hosts.' },
  ai_tools: {
    label: 'AI tools',
    location: 'A path, glob or URI of CSV or Parquet files with the spend by day and tool.',
  },
};
