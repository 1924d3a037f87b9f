import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { JsonSchema } from './json-schema.js';

/** A difference that allows a writer to write a value that the reader does not accept. */
export interface Incompatibility {
  /** `email.to[]`; empty for the whole value. */
  readonly path: string;
  readonly kind: 'missing' | 'not_always' | 'unknown_field' | 'type' | 'values' | 'limits' | 'default' | 'other';
  /** Description of the written and the readable schema. */
  readonly writes: string;
  readonly reads: string;
  /** Whether the writer only adds values: it can still write everything that the reader accepts. */
  readonly widened: boolean;
}

/**
 * Finds where values of `writes` may be invalid for `reads`; empty only if all of them are valid. Assumes that objects
 * have no unnamed fields. Unknown keywords must be equal.
 */
export const incompatibilities = (writes: JsonSchema, reads: JsonSchema, path = ''): readonly Incompatibility[] => {
  if (isDeepStrictEqual(writes, reads)) return [];
  const readable = branchesOf(reads);
  if (readable.some(acceptsEverything)) return [];
  const written = branchesOf(writes);
  const isReadable = (from: JsonSchema) => readable.some(to => compareBranch(from, to, path).length === 0);
  const covered = readable.every(to => written.some(from => compareBranch(to, from, path).length === 0));
  return written
    .filter(from => !isReadable(from))
    .flatMap(from => {
      const sameKind = readable.filter(to => kindOf(to) === kindOf(from));
      const [nearest] = sameKind.map(to => compareBranch(from, to, path)).sort((a, b) => a.length - b.length);
      return (
        nearest ?? [
          { path, kind: 'type' as const, writes: describeSchema(from), reads: describeSchema(reads), widened: covered },
        ]
      );
    });
};

/** Compares two schemas without alternatives. */
const compareBranch = (writes: JsonSchema, reads: JsonSchema, path: string): readonly Incompatibility[] => {
  if (isDeepStrictEqual(writes, reads) || acceptsEverything(reads)) return [];
  const values = valuesOf(writes);
  const readValues = valuesOf(reads);
  if (values) return unreadValues(values, reads, path);
  if (kindOf(writes) !== kindOf(reads) && !(writes.type === 'integer' && reads.type === 'number'))
    return [
      {
        path,
        kind: 'type',
        writes: describeSchema(writes),
        reads: describeSchema(reads),
        widened: acceptsEverything(writes),
      },
    ];
  if (readValues)
    return [{ path, kind: 'values', writes: describeSchema(writes), reads: describeSchema(reads), widened: true }];
  return [
    ...compareLimits(writes, reads, path),
    ...unknownKeywords(writes, reads, path),
    ...(kindOf(writes) === 'array' ? incompatibilities(writes.items ?? {}, reads.items ?? {}, `${path}[]`) : []),
    ...(kindOf(writes) === 'object' ? compareFields(writes, reads, path) : []),
  ];
};

const compareFields = (writes: JsonSchema, reads: JsonSchema, path: string): readonly Incompatibility[] => {
  const { properties: written = {}, required: alwaysWritten = [] } = writes;
  const { properties: known = {}, required } = reads;
  const at = (field: string) => (path ? `${path}.${field}` : field);
  const others = schemaOfOthers(writes);
  const readOthers = reads.additionalProperties ?? true;
  const unknown = (field: string, schema: JsonSchema): readonly Incompatibility[] => {
    if (readOthers === true) return [];
    if (readOthers !== false) return incompatibilities(schema, readOthers, at(field));
    const widened = !alwaysWritten.includes(field);
    return [
      { path: at(field), kind: 'unknown_field', writes: describeSchema(schema), reads: 'no other fields', widened },
    ];
  };
  return [
    ...(required ?? [])
      .filter(field => !alwaysWritten.includes(field))
      .map((field): Incompatibility => {
        const named = Object.hasOwn(written, field);
        const writes = named ? `${describeSchema(written[field] as JsonSchema)}, not always` : 'nothing';
        const kind = named || others ? 'not_always' : 'missing';
        return { path: at(field), kind, writes, reads: describeSchema(known[field] ?? {}), widened: false };
      }),
    ...Object.entries(written).flatMap(([field, schema]) =>
      Object.hasOwn(known, field)
        ? [
            ...incompatibilities(schema, known[field] as JsonSchema, at(field)),
            ...changedDefault(schema, known[field] as JsonSchema, at(field)),
          ]
        : unknown(field, schema),
    ),
    ...(others
      ? [
          ...Object.entries(known)
            .filter(([field]) => !Object.hasOwn(written, field))
            .flatMap(([field, schema]) => incompatibilities(others, schema, at(field))),
          ...unknown('*', others),
          ...incompatibilities(writes.propertyNames ?? { type: 'string' }, reads.propertyNames ?? {}, at('(names)')),
        ]
      : reads.propertyNames
        ? Object.keys(written).flatMap(field =>
            incompatibilities({ const: field }, reads.propertyNames ?? {}, at(field)),
          )
        : []),
  ];
};

/** The value that a reader uses for a field that the writer leaves out, if it is another than the writer expects. */
const changedDefault = (writes: JsonSchema, reads: JsonSchema, path: string): readonly Incompatibility[] => {
  if (writes.default === undefined || isDeepStrictEqual(writes.default, reads.default)) return [];
  const read = reads.default === undefined ? 'no default' : `the default ${JSON.stringify(reads.default)}`;
  const write = `nothing for the default ${JSON.stringify(writes.default)}`;
  return [{ path, kind: 'default', writes: write, reads: read, widened: false }];
};

/** The schema of unnamed fields that an object can have, such as those of a record. */
const schemaOfOthers = ({ additionalProperties, propertyNames }: JsonSchema): JsonSchema | undefined => {
  if (typeof additionalProperties === 'object') return additionalProperties;
  return additionalProperties === true || propertyNames ? {} : undefined;
};

const LOWER = ['minLength', 'minItems', 'minimum', 'exclusiveMinimum'] as const;
const UPPER = ['maxLength', 'maxItems', 'maximum', 'exclusiveMaximum'] as const;
const TEXT = ['pattern', 'format'] as const;

const compareLimits = (writes: JsonSchema, reads: JsonSchema, path: string): readonly Incompatibility[] => {
  const describe = (schema: JsonSchema, limit: keyof JsonSchema) =>
    schema[limit] === undefined ? `no ${limit}` : `${limit} ${String(schema[limit])}`;
  const found = (limit: keyof JsonSchema, widened: boolean): Incompatibility => ({
    path,
    kind: 'limits',
    writes: describe(writes, limit),
    reads: describe(reads, limit),
    widened,
  });
  const below = LOWER.filter(limit => (writes[limit] ?? -Infinity) < (reads[limit] ?? -Infinity));
  const above = UPPER.filter(limit => (writes[limit] ?? Infinity) > (reads[limit] ?? Infinity));
  // Patterns are not compared by meaning: they are compatible only if they are equal.
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
  ...['items', 'default', ...LOWER, ...UPPER, ...TEXT],
]);

const unknownKeywords = (writes: JsonSchema, reads: JsonSchema, path: string): readonly Incompatibility[] => {
  const [from, to] = [Object.entries(writes), Object.entries(reads)].map(entries => new Map<string, unknown>(entries));
  return [...(to?.keys() ?? [])]
    .filter(keyword => !COMPARED.has(keyword) && !isDeepStrictEqual(from?.get(keyword), to?.get(keyword)))
    .map(keyword => ({
      path,
      kind: 'other',
      writes: keyword === 'refined' ? 'what its schema allows' : `a different ${keyword}`,
      reads: keyword === 'refined' ? 'only what its code allows as well' : `its ${keyword}`,
      widened: false,
    }));
};

const unreadValues = (values: readonly unknown[], reads: JsonSchema, path: string): readonly Incompatibility[] => {
  const reader = z.fromJSONSchema(reads as Parameters<typeof z.fromJSONSchema>[0]);
  const unreadable = values.filter(value => !reader.safeParse(value).success);
  if (unreadable.length === 0) return [];
  const known = valuesOf(reads);
  const kind = known || unreadable.length < values.length ? 'values' : 'type';
  const widened = (known ?? [undefined]).every(value => values.includes(value));
  return [{ path, kind, writes: describeSchema({ enum: unreadable }), reads: describeSchema(reads), widened }];
};

const branchesOf = ({ default: _, ...schema }: JsonSchema): readonly JsonSchema[] => {
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives && Object.keys(schema).length === 1) return alternatives.flatMap(branchesOf);
  const { type } = schema;
  return Array.isArray(type) ? type.map((one: string) => ({ ...schema, type: one })) : [schema];
};

const acceptsEverything = ({ default: _, ...schema }: JsonSchema): boolean => Object.keys(schema).length === 0;

const valuesOf = (schema: JsonSchema): readonly unknown[] | undefined =>
  schema.enum ?? ('const' in schema ? [schema.const] : undefined);

const kindOf = (schema: JsonSchema): string => {
  const [first] = valuesOf(schema) ?? [];
  if (schema.type) return String(schema.type);
  return first === undefined ? 'anything' : first === null ? 'null' : typeof first;
};

const describeSchema = (schema: JsonSchema): string => {
  const values = valuesOf(schema);
  if (values) return values.map(value => JSON.stringify(value)).join(' or ');
  return branchesOf(schema)
    .map(branch => (branch.anyOf ? 'something' : valuesOf(branch) ? describeSchema(branch) : kindOf(branch)))
    .join(' or ');
};
