/**
 * The number of the reading rules. A change of what a load stores of the same files takes the next number, so that runs read files
 * again that have not changed.
 */
export const READING_RULES = 1;
