/** Converts a TIMESTAMP of DuckDB (`2026-02-07 06:00:00`, UTC) to an RFC 3339 instant with `Z`. */
export const instant = (timestamp: string): string =>
  new Date(`${timestamp.replace(' ', 'T')}Z`).toISOString();

/** Converts a TIMESTAMP that may be NULL. */
export const instantOrNull = (timestamp: string | null): string | null =>
  timestamp === null ? null : instant(timestamp);
