/** Formats rows under a header in aligned columns. */
export const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string => {
  const lines = [head, ...rows].map(row => row.map(cell => String(cell).trim().replace(/\s+/g, ' ')));
  const widths = head.map((_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0)));
  return lines
    .map(line =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};
