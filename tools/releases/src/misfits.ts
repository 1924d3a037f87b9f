import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { JsonSchema } from './json-schema.js';

/** One place where something may be written that the reader does not take. */
export interface Misfit {
  /** `email.to[]`; empty for the whole. */
  readonly path: string;
  readonly kind: 'missing' | 'not_always' | 'unknown_field' | 'type' | 'values' | 'limits' | 'other';
  /** What is written and what is read there, in words. */
  readonly writes: string;
  readonly reads: string;
  /** The writer can still write everything that is read here: it knows more, and takes nothing away. */
  readonly widened: boolean;
}

/**
 * Where values written as `writes` may not be readable as `reads`; empty only if every one of them is. Objects are
 * taken to hold no more fields than they name. Keywords that it does not know have to be equal.
 */
export const misfits = (writes: JsonSchema, reads: JsonSchema, path = ''): readonly Misfit[] => {
  if (isDeepStrictEqual(writes, reads)) return [];
  const readable = branchesOf(reads);
  if (readable.some(takesEverything)) return [];
  const written = branchesOf(writes);
  const fits = (from: JsonSchema) => readable.some(to => compareBranch(from, to, path).length === 0);
  const covered = readable.every(to => written.some(from => compareBranch(to, from, path).length === 0));
  return written
    .filter(from => !fits(from))
    .flatMap(from => {
      const alike = readable.filter(to => kindOf(to) === kindOf(from));
      const [nearest] = alike.map(to => compareBranch(from, to, path)).sort((a, b) => a.length - b.length);
      return (
        nearest ?? [{ path, kind: 'type' as const, writes: wordsFor(from), reads: wordsFor(reads), widened: covered }]
      );
    });
};

/** The comparison of two schemas without alternatives. */
const compareBranch = (writes: JsonSchema, reads: JsonSchema, path: string): readonly Misfit[] => {
  if (isDeepStrictEqual(writes, reads) || takesEverything(reads)) return [];
  const values = valuesOf(writes);
  const readValues = valuesOf(reads);
  if (values) return unreadValues(values, reads, path);
  if (kindOf(writes) !== kindOf(reads) && !(writes.type === 'integer' && reads.type === 'number'))
    return [{ path, kind: 'type', writes: wordsFor(writes), reads: wordsFor(reads), widened: takesEverything(writes) }];
  if (readValues) return [{ path, kind: 'values', writes: wordsFor(writes), reads: wordsFor(reads), widened: true }];
  return [
    ...limitMisfits(writes, reads, path),
    ...unknownKeywords(writes, reads, path),
    ...(kindOf(writes) === 'array' ? misfits(writes.items ?? {}, reads.items ?? {}, `${path}[]`) : []),
    ...(kindOf(writes) === 'object' ? fieldMisfits(writes, reads, path) : []),
  ];
};

const fieldMisfits = (writes: JsonSchema, reads: JsonSchema, path: string): readonly Misfit[] => {
  const { properties: written = {}, required: always = [] } = writes;
  const { properties: known = {}, required: needed = [] } = reads;
  const at = (field: string) => (path ? `${path}.${field}` : field);
  const others = schemaOfOthers(writes);
  const readOthers = reads.additionalProperties ?? true;
  const unknown = (field: string, schema: JsonSchema): readonly Misfit[] => {
    if (readOthers === true) return [];
    if (readOthers !== false) return misfits(schema, readOthers, at(field));
    const widened = !always.includes(field);
    return [{ path: at(field), kind: 'unknown_field', writes: wordsFor(schema), reads: 'no other fields', widened }];
  };
  return [
    ...needed
      .filter(field => !always.includes(field))
      .map((field): Misfit => {
        const named = Object.hasOwn(written, field);
        const writes = named ? `${wordsFor(written[field] as JsonSchema)}, not always` : 'nothing';
        const kind = named || others ? 'not_always' : 'missing';
        return { path: at(field), kind, writes, reads: wordsFor(known[field] ?? {}), widened: false };
      }),
    ...Object.entries(written).flatMap(([field, schema]) =>
      Object.hasOwn(known, field) ? misfits(schema, known[field] as JsonSchema, at(field)) : unknown(field, schema),
    ),
    ...(others
      ? [
          ...Object.entries(known)
            .filter(([field]) => !Object.hasOwn(written, field))
            .flatMap(([field, schema]) => misfits(others, schema, at(field))),
          ...unknown('*', others),
          ...misfits(writes.propertyNames ?? { type: 'string' }, reads.propertyNames ?? {}, at('(names)')),
        ]
      : reads.propertyNames
        ? Object.keys(written).flatMap(field => misfits({ const: field }, reads.propertyNames ?? {}, at(field)))
        : []),
  ];
};

/** The schema of fields that an object may hold beside those that it names, as records do. */
const schemaOfOthers = ({ additionalProperties, propertyNames }: JsonSchema): JsonSchema | undefined => {
  if (typeof additionalProperties === 'object') return additionalProperties;
  return additionalProperties === true || propertyNames ? {} : undefined;
};

const LOWER = ['minLength', 'minItems', 'minimum', 'exclusiveMinimum'] as const;
const UPPER = ['maxLength', 'maxItems', 'maximum', 'exclusiveMaximum'] as const;
const TEXT = ['pattern', 'format'] as const;

const limitMisfits = (writes: JsonSchema, reads: JsonSchema, path: string): readonly Misfit[] => {
  const say = (schema: JsonSchema, limit: keyof JsonSchema) =>
    schema[limit] === undefined ? `no ${limit}` : `${limit} ${String(schema[limit])}`;
  const found = (limit: keyof JsonSchema, widened: boolean): Misfit => ({
    path,
    kind: 'limits',
    writes: say(writes, limit),
    reads: say(reads, limit),
    widened,
  });
  const below = LOWER.filter(limit => (writes[limit] ?? -Infinity) < (reads[limit] ?? -Infinity));
  const above = UPPER.filter(limit => (writes[limit] ?? Infinity) > (reads[limit] ?? Infinity));
  // Whether one expression takes what another takes is not decided here: they are equal, or they do not fit.
  const texts = TEXT.filter(limit => reads[limit] !== undefined && writes[limit] !== reads[limit]);
  const narrowedToo =
    LOWER.some(limit => (writes[limit] ?? -Infinity) > (reads[limit] ?? -Infinity)) ||
    UPPER.some(limit => (writes[limit] ?? Infinity) < (reads[limit] ?? Infinity));
  return [
    ...[...below, ...above].map(limit => found(limit, !narrowedToo)),
    ...texts.map(limit => found(limit, writes[limit] === undefined && !narrowedToo)),
  ];
};

const COMPARED = new Set<string>([
  ...['type', 'enum', 'const', 'properties', 'required', 'additionalProperties', 'propertyNames'],
  ...['items', ...LOWER, ...UPPER, ...TEXT],
]);

const unknownKeywords = (writes: JsonSchema, reads: JsonSchema, path: string): readonly Misfit[] => {
  const [from, to] = [Object.entries(writes), Object.entries(reads)].map(entries => new Map<string, unknown>(entries));
  return [...(to?.keys() ?? [])]
    .filter(keyword => !COMPARED.has(keyword) && !isDeepStrictEqual(from?.get(keyword), to?.get(keyword)))
    .map(keyword => ({ path, kind: 'other', writes: `another ${keyword}`, reads: `its ${keyword}`, widened: false }));
};

const unreadValues = (values: readonly unknown[], reads: JsonSchema, path: string): readonly Misfit[] => {
  const reader = z.fromJSONSchema(reads as Parameters<typeof z.fromJSONSchema>[0]);
  const unread = values.filter(value => !reader.safeParse(value).success);
  if (unread.length === 0) return [];
  const known = valuesOf(reads);
  const kind = known || unread.length < values.length ? 'values' : 'type';
  const widened = (known ?? [undefined]).every(value => values.includes(value));
  return [{ path, kind, writes: wordsFor({ enum: unread }), reads: wordsFor(reads), widened }];
};

const branchesOf = (schema: JsonSchema): readonly JsonSchema[] => {
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives && Object.keys(schema).length === 1) return alternatives.flatMap(branchesOf);
  const { type } = schema;
  return Array.isArray(type) ? type.map((one: string) => ({ ...schema, type: one })) : [schema];
};

const takesEverything = (schema: JsonSchema): boolean => Object.keys(schema).length === 0;

const valuesOf = (schema: JsonSchema): readonly unknown[] | undefined =>
  schema.enum ?? ('const' in schema ? [schema.const] : undefined);

const kindOf = (schema: JsonSchema): string => {
  const [first] = valuesOf(schema) ?? [];
  if (schema.type) return String(schema.type);
  return first === undefined ? 'anything' : first === null ? 'null' : typeof first;
};

const wordsFor = (schema: JsonSchema): string => {
  const values = valuesOf(schema);
  if (values) return values.map(value => JSON.stringify(value)).join(' or ');
  return branchesOf(schema)
    .map(branch => (branch.anyOf ? 'something' : valuesOf(branch) ? wordsFor(branch) : kindOf(branch)))
    .join(' or ');
};
