/** Returns the bytes of a size in DuckDB's notation, such as `1GB` or `1.5 GiB`; NaN for other texts. */
export function bytesOf(size: string): number {
  const [, number, prefix = '', binary] = /^(\d+(?:\.\d+)?)\s?([KMGT])(i?)B$/i.exec(size) ?? [];
  return Number(number) * (binary ? 1024 : 1000) ** (1 + 'KMGT'.indexOf(prefix.toUpperCase()));
}
