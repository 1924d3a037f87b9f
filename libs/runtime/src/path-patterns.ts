/**
 * Whether a path matches the last of the patterns that apply to it, where a pattern with `!` excludes. Patterns and paths
 * are relative to one folder: `*` and `?` match within a part, `**` matches any number of parts, and a folder matches all
 * of its files. If all patterns exclude, other paths match. The time is bounded for every pattern, unlike that of a regular expression.
 */
export const matchesPatterns = (patterns: readonly string[], path: string): boolean => {
  const parts = path.split('/');
  let matches = patterns.every(pattern => pattern.startsWith('!'));
  for (const pattern of patterns) {
    const excludes = pattern.startsWith('!');
    if (matchesParts(partsOf(excludes ? pattern.slice(1) : pattern), parts)) matches = !excludes;
  }
  return matches;
};

const partsOf = (pattern: string): readonly string[] => pattern.split('/').filter(part => part !== '' && part !== '.');

/** A pattern that ends before the path is a folder of the path. */
const matchesParts = (pattern: readonly string[], path: readonly string[]): boolean => {
  /** Whether the pattern up to each of its places matches the parts of the path so far. */
  let reached = skippingAny(pattern, [true, ...pattern.map(() => false)]);
  for (const part of path) {
    if (reached[pattern.length]) return true;
    reached = skippingAny(pattern, [
      false,
      ...pattern.map((each, place) =>
        each === '**' ? reached[place + 1]! || reached[place]! : reached[place]! && matchesPart(each, part),
      ),
    ]);
  }
  return reached[pattern.length]!;
};

/** `**` also matches no part. */
const skippingAny = (pattern: readonly string[], reached: readonly boolean[]): readonly boolean[] => {
  const all = [...reached];
  pattern.forEach((each, place) => {
    if (each === '**' && all[place]) all[place + 1] = true;
  });
  return all;
};

/** Returns to the last `*` at a mismatch, which is enough because an earlier one cannot match better. */
const matchesPart = (pattern: string, text: string): boolean => {
  let [at, place, star, from] = [0, 0, -1, 0];
  while (at < text.length) {
    if (pattern[place] === '*') [star, from, place] = [place, at, place + 1];
    else if (place < pattern.length && (pattern[place] === '?' || pattern[place] === text[at]))
      [at, place] = [at + 1, place + 1];
    else if (star >= 0) [place, from, at] = [star + 1, from + 1, from + 1];
    else return false;
  }
  while (pattern[place] === '*') place += 1;
  return place === pattern.length;
};
