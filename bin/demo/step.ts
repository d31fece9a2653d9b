/** A command to paste, below what it is for. */
export const step = (what: string, command: string): string[] => [`  # ${what}`, `  ${command}`];
