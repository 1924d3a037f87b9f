import type { Operation, Schema } from './operations.js';

/** Values by field name, for formats that the schema does not define. */
export type Known = Readonly<Record<string, unknown>>;

const PATTERN_SAMPLES = ['123456', 'main', 'KEY', 'a'.repeat(64), '/health'];
const KNOWN: Known = {
  address: 'somebody@customers.test',
  domain: 'matrix.example.com',
  git_repository_url: 'https://git.example.com/shop/storefront.git',
  from: 'shop@sandbox.test',
  enabled: true,
};

/** A valid body of an operation, or undefined if it has none. */
export const bodyOf = ({ body, example }: Operation, known: Known): Readonly<Record<string, unknown>> | undefined => {
  if (!body) return undefined;
  const sampled = sampleOf(body, '', known) as Record<string, unknown>;
  return { ...sampled, ...example, ...pick(known, namesOf(body)) };
};

/** The required query parameters of an operation, as a query string. */
export const queryOf = ({ query }: Operation, known: Known): string => {
  const required = query.filter(parameter => parameter.required);
  const values = required.map(({ name, schema }) => [name, String(sampleOf(schema, '', known))] as [string, string]);
  return values.length > 0 ? `?${new URLSearchParams(values)}` : '';
};

/** The field names of a body; of the first alternative if there are several. */
const namesOf = ({ properties, anyOf, oneOf }: Schema): readonly string[] =>
  Object.keys(properties ?? (anyOf ?? oneOf)?.[0]?.properties ?? {});

const pick = (known: Known, names: readonly string[]): Known =>
  Object.fromEntries(names.filter(name => name in known).map(name => [name, known[name]]));

/** A value that matches a schema; objects have only their required fields. */
const sampleOf = (schema: Schema, name: string, known: Known): unknown => {
  const value = known[name] ?? KNOWN[name];
  if (value !== undefined) return value;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [alternative] = schema.anyOf ?? schema.oneOf ?? [];
  if (alternative) return sampleOf(alternative, name, known);
  switch ([schema.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map(field => [field, sampleOf(schema.properties?.[field] ?? {}, field, known)]),
      );
    case 'array':
      return [sampleOf(schema.items ?? {}, '', known)];
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, 1);
    case 'boolean':
      return false;
    default:
      return textOf(schema, name);
  }
};

const textOf = ({ format, pattern, minLength = 1 }: Schema, name: string): string => {
  if (format === 'uuid') return crypto.randomUUID();
  if (format === 'date-time') return new Date(Date.now() + 86_400_000).toISOString();
  if (format === 'date') return new Date().toISOString().slice(0, 10);
  if (format === 'uri') return 'https://hooks.example.com/events';
  if (format === 'email') return 'somebody@customers.test';
  if (pattern === undefined) return 'x'.repeat(minLength);
  const fitting = PATTERN_SAMPLES.find(sample => new RegExp(pattern, 'u').test(sample));
  if (fitting === undefined) throw new Error(`No sample fits ${pattern} of ${name}. Add one to PATTERN_SAMPLES.`);
  return fitting;
};
