/** Matches a control character. Texts must not have any: line breaks, tabs and NUL change what people and programs read. */
export const CONTROL_CHARACTER = /\p{Cc}/u;

/**
 * Matches a text without control characters. It shows in the OpenAPI document, and so has no `\p{Cc}`, which the engines of some
 * languages do not read.
 */
// eslint-disable-next-line no-control-regex -- the rule is about control characters
export const ONE_LINE = /^[^\x00-\x1f\x7f-\x9f]*$/;

/** Matches a text without control characters other than tabs and line breaks. */
// eslint-disable-next-line no-control-regex -- the rule is about control characters
export const SOME_LINES = /^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*$/;

/** The rule in error messages. */
export const NO_CONTROL_CHARACTERS = 'expected a text without control characters';
