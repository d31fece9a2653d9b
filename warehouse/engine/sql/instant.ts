/** A TIMESTAMP as DuckDB writes it (`2026-02-07 06:00:00`, UTC) as an RFC 3339 instant with `Z`. */
export const instant = (timestamp: string): string =>
  new Date(`${timestamp.replace(' ', 'T')}Z`).toISOString();

/** The same for a TIMESTAMP that can be NULL. */
export const instantOrNull = (timestamp: string | null): string | null =>
  timestamp === null ? null : instant(timestamp);
