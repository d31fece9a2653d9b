/** The sources of spend. Their parts add up to the total, each dollar once. */
export const SPEND_SOURCES = ['cloud', 'kubernetes', 'hosts', 'ai_tools'] as const;
export type SpendSource = (typeof SPEND_SOURCES)[number];
