/** Text that needs no quotes in an array literal, unless it is the word NULL (PostgreSQL manual §8.15.6). */
const PLAIN = /^[\w.:-]+$/;

const elementOf = (value: string | number | undefined): string | number => {
  if (value === undefined) return 'NULL';
  if (typeof value === 'number' || (PLAIN.test(value) && value.length > 4)) return value;
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
};

/** Formats a PostgreSQL array literal. pg escapes every element, even numbers, which is measurable in batches. */
export const arrayOf = (values: readonly (string | number | undefined)[]): string => {
  let text = '{';
  for (const value of values) text += text === '{' ? elementOf(value) : `,${elementOf(value)}`;
  return `${text}}`;
};
