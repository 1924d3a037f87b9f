/** What stands as it is in an array's literal, but for the word NULL (PostgreSQL manual §8.15.6). */
const PLAIN = /^[\w.:-]+$/;

const elementOf = (value: string | number | undefined): string | number => {
  if (value === undefined) return 'NULL';
  if (typeof value === 'number' || (PLAIN.test(value) && value.length > 4)) return value;
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
};

/** An array as the text that PostgreSQL reads; pg's own way escapes every element, numbers too, which shows in batches. */
export const arrayOf = (values: readonly (string | number | undefined)[]): string => {
  let text = '{';
  for (const value of values) text += text === '{' ? elementOf(value) : `,${elementOf(value)}`;
  return `${text}}`;
};
