/** Number of letters to insert, delete or replace. */
const distanceOf = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [line, letter] of [...one].entries()) {
    const next = [line + 1];
    for (let column = 1; column <= other.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (letter === other[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
};

/** The most similar of some names; undefined if the given name has little in common with all of them. */
export const nearestName = (given: string, names: readonly string[]): string | undefined => {
  const [nearest] = names
    .map(name => ({ name, distance: distanceOf(given.toLowerCase(), name.toLowerCase()) }))
    .sort((one, other) => one.distance - other.distance);
  if (!nearest || nearest.distance > Math.max(2, Math.floor(nearest.name.length / 2))) return undefined;
  return nearest.name;
};
