/** Minimum length of a masked value; masking shorter values would make most log lines unreadable. */
const SHORTEST_SECRET = 4;

/** The secrets that are long enough to be masked. */
export const maskable = (secrets: readonly string[]): string[] =>
  secrets.filter(({ length }) => length >= SHORTEST_SECRET);
