/** The id of the button of a part in the table. */
export const partElementId = (id: string): string => `part ${id}`.replace(/\s/g, '_');

/** Leads to a part in the table, if it is drawn. */
export function showPart(id: string): void {
  document.getElementById(partElementId(id))?.focus();
}
