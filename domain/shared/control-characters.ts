/** What no text may hold: line breaks, tabs, NUL and the like change what people and programs read. */
export const CONTROL_CHARACTER = /\p{Cc}/u;

/** The rule, as errors tell it. */
export const NO_CONTROL_CHARACTERS = 'expected a text without control characters';
