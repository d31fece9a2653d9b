const LEVELS = '▁▂▃▄▅▆▇█';

/** Numbers as bars of text, the least lowest and the most highest; a space where there is none. */
export const sparkline = (numbers: readonly (number | null)[]): string => {
  const known = numbers.filter((number) => number !== null);
  const least = Math.min(...known);
  const range = Math.max(...known) - least;
  return numbers
    .map((number) => {
      if (number === null) return ' ';
      const height = range === 0 ? 0 : (number - least) / range;
      return LEVELS[Math.round(height * (LEVELS.length - 1))] ?? '';
    })
    .join('');
};
