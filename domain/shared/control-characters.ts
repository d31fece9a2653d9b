/** Matches a control character. Texts must not have any: line breaks, tabs and NUL change what people and programs read. */
export const CONTROL_CHARACTER = /\p{Cc}/u;

/** The rule in error messages. */
export const NO_CONTROL_CHARACTERS = 'expected a text without control characters';
