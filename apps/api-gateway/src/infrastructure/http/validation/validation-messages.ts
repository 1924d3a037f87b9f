import { z } from 'zod';
import { hintsFor } from './field-hints.js';

type JsonSchema = z.core.JSONSchema.JSONSchema;

const expectations = new WeakMap<z.ZodType, JsonSchema>();

/**
 * Sentences with the invalid fields of `value`, the expected values, and hints about likely mistakes; at most five
 * problems.
 */
export const validationMessage = (schema: z.ZodType, issues: readonly z.core.$ZodIssue[], value: unknown): string => {
  const problems = issues.slice(0, 5).map(issue => messageOf(jsonSchemaOf(schema), issue, value));
  const sentence = problems.join('; ').replace(/^unknown field/, 'Unknown field');
  return [`${sentence}.`, ...hintsFor(schema, jsonSchemaOf(schema), issues, value)].join(' ');
};

const messageOf = (root: JsonSchema, issue: z.core.$ZodIssue, value: unknown): string => {
  const name = nameOf(issue.path);
  switch (issue.code) {
    case 'unrecognized_keys':
      return `unknown field ${issue.keys
        .slice(0, 5)
        .map(key => JSON.stringify(nameOf([...issue.path, key]).slice(0, 100)))
        .join(', ')}`;
    case 'invalid_type':
    case 'invalid_value':
    case 'invalid_union':
      if (valueAt(value, issue.path) === undefined && issue.path.length > 0) return `${name} is required`;
      return isCustomMessage(issue.message)
        ? `${name} ${issue.message}`
        : `${name} must be ${expectationOf(schemaAt(root, issue.path))}${exampleOf(root, issue.path, value)}`;
    case 'invalid_format':
      return isCustomMessage(issue.message)
        ? `${name} ${issue.message}`
        : `${name} must be ${formatName(issue.format)}`;
    case 'too_small':
      return isCustomMessage(issue.message) ? `${name} ${issue.message}` : `${name} ${sizeLimit('least', issue)}`;
    case 'too_big':
      return isCustomMessage(issue.message) ? `${name} ${issue.message}` : `${name} ${sizeLimit('most', issue)}`;
    default:
      return `${name} ${isCustomMessage(issue.message) ? issue.message : 'is not valid'}`;
  }
};

/** Messages of contracts are predicates ("must be 6 digits"); zod's defaults start with a capital letter. */
const isCustomMessage = (message: string): boolean => /^[a-z]/.test(message);

const nameOf = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (name, key) => (typeof key === 'number' ? `${name}[${key}]` : name ? `${name}.${String(key)}` : String(key)),
    '',
  ) || 'The body';

const jsonSchemaOf = (schema: z.ZodType): JsonSchema => {
  let known = expectations.get(schema);
  if (!known) {
    known = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    expectations.set(schema, known);
  }
  return known;
};

const schemaAt = (root: JsonSchema, path: readonly PropertyKey[]): JsonSchema | undefined =>
  path.reduce<JsonSchema | undefined>((schema, key) => {
    if (schema === undefined) return undefined;
    const next =
      typeof key === 'number' ? schema.items : (schema.properties?.[String(key)] ?? schema.additionalProperties);
    return typeof next === 'object' && !Array.isArray(next) ? next : undefined;
  }, root);

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Record<PropertyKey, unknown>)[key]
        : undefined,
    value,
  );

const LONGEST_EXAMPLE = 100;

/** The list that was probably meant, if one text was sent in its place. */
const exampleOf = (root: JsonSchema, path: readonly PropertyKey[], value: unknown): string => {
  const given = valueAt(value, path);
  const { type, items } = schemaAt(root, path) ?? {};
  const isListOfTexts =
    type === 'array' && typeof items === 'object' && !Array.isArray(items) && items.type === 'string';
  if (!isListOfTexts || typeof given !== 'string' || given.length > LONGEST_EXAMPLE) return '';
  return `, such as ${JSON.stringify([given])}`;
};

const NOUNS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['a string', 'strings'],
  number: ['a number', 'numbers'],
  integer: ['an integer', 'integers'],
  boolean: ['true or false', 'booleans'],
  object: ['an object', 'objects'],
  array: ['an array', 'arrays'],
  null: ['null', 'nulls'],
};

const expectationOf = (schema: JsonSchema | undefined): string => {
  if (schema?.anyOf)
    return schema.anyOf.map(one => expectationOf(typeof one === 'object' ? one : undefined)).join(' or ');
  if (schema?.enum) return `one of ${schema.enum.map(value => JSON.stringify(value)).join(', ')}`;
  if (schema?.const !== undefined) return JSON.stringify(schema.const);
  if (schema?.format) return formatName(schema.format);
  const inner =
    schema?.type === 'array' ? schema.items : schema?.type === 'object' ? schema.additionalProperties : undefined;
  const type = typeof inner === 'object' && !Array.isArray(inner) ? inner.type : undefined;
  const many = typeof type === 'string' ? NOUNS[type]?.[1] : undefined;
  if (schema?.type === 'array' && many) return `an array of ${many}`;
  if (schema?.type === 'object' && many) return `an object whose values are ${many}`;
  return (typeof schema?.type === 'string' ? NOUNS[schema.type]?.[0] : undefined) ?? 'of another type';
};

const formatName = (format: string): string => {
  switch (format) {
    case 'uuid':
      return 'a UUID';
    case 'date':
      return 'a date (YYYY-MM-DD)';
    case 'datetime':
    case 'date-time':
      return 'an ISO 8601 time in UTC';
    default:
      return 'in the expected format';
  }
};

type SizeIssue = Extract<z.core.$ZodIssue, { code: 'too_small' | 'too_big' }>;

const sizeLimit = (bound: 'least' | 'most', issue: SizeIssue): string => {
  const size = String(issue.code === 'too_small' ? issue.minimum : issue.maximum);
  if (issue.origin === 'string') return `must have at ${bound} ${size} ${size === '1' ? 'character' : 'characters'}`;
  if (issue.origin === 'array') return `must have at ${bound} ${size} ${size === '1' ? 'entry' : 'entries'}`;
  return `must be at ${bound} ${size}`;
};
