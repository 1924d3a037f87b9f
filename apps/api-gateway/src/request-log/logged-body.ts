import { MAX_LOGGED_BODY } from '@postern/contracts';

/** Fields that hold secrets, or the contents of messages and files. */
const WITHHELD =
  /^(?:value|values|variables|(?:\w+_)?(?:token|password|secret|credentials)|secrets|private_key|message|text|html|content|contents|files|raw)$/i;
/** The user and the password in a URL. */
const URL_CREDENTIALS = /\/\/[^/\s@]+@/g;
const MAX_TEXT = 300;
const MAX_ITEMS = 50;
const MAX_DEPTH = 6;

/**
 * The body of a request as JSON for its log: names and settings as they were sent, and in place of secrets and contents
 * their length. Undefined if it is too large.
 */
export const loggedBody = (body: unknown): string | undefined => {
  const text = JSON.stringify(redacted(body, 0));
  return text === undefined || text.length > MAX_LOGGED_BODY ? undefined : text;
};

const redacted = (value: unknown, depth: number): unknown => {
  if (typeof value === 'string') return shortened(value.replace(URL_CREDENTIALS, '//[…]@'));
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '[…]';
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS).map(item => redacted(item, depth + 1));
    return value.length > MAX_ITEMS ? [...items, `[${value.length - MAX_ITEMS} more]`] : items;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      // `variables` of the platform API is a list of names with values.
      WITHHELD.test(name) && !isNamedList(inner) ? withheld(inner) : redacted(inner, depth + 1),
    ]),
  );
};

const shortened = (text: string): string =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…`.toWellFormed() : text;

/** A list of objects with a name: their values are withheld one by one. */
const isNamedList = (value: unknown): boolean =>
  Array.isArray(value) && value.every(item => typeof item === 'object' && item !== null && 'key' in item);

/** A wrong type is often the mistake, so it is shown. */
const withheld = (value: unknown): unknown => {
  if (typeof value === 'string') return `[${value.length} characters]`;
  if (Array.isArray(value)) return `[${value.length} entries]`;
  return typeof value === 'object' && value !== null ? `[${Object.keys(value).length} fields]` : value;
};
