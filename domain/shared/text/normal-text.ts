/**
 * Returns a text without white space around it, in Unicode's form NFC. A Mac writes "é" as two characters, other machines as one.
 * Both are the same label, name or tag value to people. A byte order mark at an end is white space.
 */
export const normalText = (text: string): string => text.trim().normalize('NFC');
