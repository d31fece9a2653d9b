interface Point {
  x: number;
  y: number;
}

/** The line through points, and the area between the line and `floor`, as paths of SVG. Both have a gap at each missing point. */
export function linePaths(points: readonly (Point | false)[], floor: number): { line: string; area: string } {
  const runs: Point[][] = [[]];
  for (const point of points)
    if (point === false) runs.push([]);
    else runs.at(-1)?.push(point);
  const through = runs.map((run) => run.map(({ x, y }) => `${x},${y}`).join('L'));
  return {
    line: through.map((path) => path && `M${path}`).join(''),
    area: runs
      .map((run, index) => {
        const [first, last] = [run[0], run.at(-1)];
        return first && last ? `M${first.x},${floor}L${through[index] ?? ''}L${last.x},${floor}Z` : '';
      })
      .join(''),
  };
}
