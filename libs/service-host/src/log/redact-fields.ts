const REDACTED = '[redacted]';
/** The log omits deeper levels. */
const MAX_DEPTH = 8;
const MAX_KNOWN_NAMES = 10_000;

/** Names in lower case without `-` and `_`. */
const SECRET_NAMES = new Set(['key', 'html', 'text', 'body', 'payload']);
const SECRET_ENDINGS = /(?:password|secret|token|apikey|privatekey|accesskey|authorization|cookie|credentials?)s?$/;

/** A cache, because the same names are logged repeatedly. */
const knownNames = new Map<string, boolean>();

const isSecret = (name: string): boolean => {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const plain = name.replaceAll(/[-_]/g, '').toLowerCase();
  const secret = SECRET_NAMES.has(plain) || SECRET_ENDINGS.test(plain);
  if (knownNames.size >= MAX_KNOWN_NAMES) knownNames.clear();
  knownNames.set(name, secret);
  return secret;
};

type Fields = Readonly<Record<string, unknown>>;

/**
 * Redacts the values of fields with secret names, at every depth. Copies only objects that contain one. Also redacts
 * `detail` of an error, because PostgreSQL includes the whole row in it.
 */
export const redactFields = <Given extends object>(fields: Given): Given => {
  try {
    return redacted(fields, 0) as Given;
  } catch {
    return { redaction: 'The fields could not be read' } as object as Given;
  }
};

/** Redacts the fields of a serialized error. */
export const redactError = <Given>(error: Given): Given =>
  typeof error === 'object' && error !== null ? (redactFields(markedAsError(error)) as Given) : error;

const serialisedErrors = new WeakSet<object>();

const markedAsError = (error: object): object => {
  serialisedErrors.add(error);
  const { aggregateErrors } = error as { readonly aggregateErrors?: readonly object[] };
  for (const part of aggregateErrors ?? []) serialisedErrors.add(part);
  return error;
};

const redacted = (given: object, depth: number): unknown => {
  const value = jsonOf(given);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return REDACTED;
  const isError = value instanceof Error || serialisedErrors.has(value);
  let copy: Record<string, unknown> | unknown[] | undefined;
  for (const name of Object.keys(value)) {
    const field = (value as Fields)[name];
    const replaced = replacementOf(name, field, isError, depth);
    if (replaced === field) continue;
    copy ??= Array.isArray(value) ? [...value] : { ...value };
    (copy as Record<string, unknown>)[name] = replaced;
  }
  return copy ?? value;
};

const replacementOf = (name: string, field: unknown, isError: boolean, depth: number): unknown => {
  if (field === undefined || field === null) return field;
  if (isSecret(name) || (isError && name === 'detail')) return REDACTED;
  // An error at the first level is redacted after the log has read its message and stack.
  if (typeof field !== 'object' || (depth === 0 && name === 'err' && field instanceof Error)) return field;
  return redacted(field, depth + 1);
};

/** The JSON representation of the value. Calls `toJSON` repeatedly, like JSON.stringify. */
const jsonOf = (given: object): unknown => {
  let value: unknown = given;
  for (let calls = 0; calls < MAX_DEPTH; calls += 1) {
    if (typeof value !== 'object' || value === null) return value;
    const { toJSON } = value as { readonly toJSON?: () => unknown };
    if (typeof toJSON !== 'function') return value;
    value = toJSON.call(value);
  }
  return REDACTED;
};
