import { SPEND_SOURCES, type SpendSource } from '../../domain/sources/spend-sources.ts';

/** What the sources of spend are called on pages. */
export const SOURCE_NAMES: Record<SpendSource, string> = {
  cloud: 'Cloud',
  kubernetes: 'Kubernetes',
  hosts: 'Hosts',
  ai_tools: 'AI tools',
};

/** Whether a value of the API is a source of spend. */
export const isSpendSource = (value: unknown): value is SpendSource =>
  SPEND_SOURCES.some((source) => source === value);
