import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { incompatibilities } from './incompatibilities.js';
import { type JsonSchema, jsonSchemaOf } from './json-schema.js';

const between = (writer: z.ZodType, reader: z.ZodType) =>
  incompatibilities(jsonSchemaOf(writer, 'output'), jsonSchemaOf(reader, 'input')).map(
    ({ path, kind, widened }) => `${path} ${kind}${widened ? ', widened' : ''}`,
  );

const text = z.string();

describe('a reader accepts', () => {
  it.each<[string, z.ZodType, z.ZodType]>([
    ['what it knows', z.object({ a: text }), z.object({ a: text })],
    ['a new field, which it ignores', z.object({ a: text, b: text }), z.object({ a: text })],
    ['a missing field that it does not require', z.object({ a: text }), z.object({ a: text, b: text.optional() })],
    ['a missing field with a default', z.object({}), z.object({ b: text.default('b') })],
    ['a field that is always present and optional for it', z.object({ a: text }), z.object({ a: text.optional() })],
    ['fewer values', z.enum(['a']), z.enum(['a', 'b'])],
    ['enum values for any string', z.enum(['a', 'b']), text],
    ['stricter limits than its own', text.min(2).max(3), text.min(1).max(4)],
    ['integers for numbers', z.int(), z.number()],
    ['a value that is never null for a nullable one', text, text.nullable()],
    ['one of its alternatives', z.object({ a: text }), z.union([z.number(), z.object({ a: text })])],
    ['a record with compatible values', z.record(text, z.int()), z.record(text, z.number())],
    ['anything for unknown', z.object({ a: text }), z.unknown()],
  ])('%s', (_, writer, reader) => expect(between(writer, reader)).toEqual([]));
});

describe('a reader does not accept', () => {
  it.each<[string, z.ZodType, z.ZodType, string]>([
    ['a removed field', z.object({}), z.object({ a: text }), 'a missing'],
    ['an optional field that it requires', z.object({ a: text.optional() }), z.object({ a: text }), 'a not_always'],
    ['another type', z.object({ a: z.int() }), z.object({ a: text }), 'a type'],
    ['null', z.object({ a: text.nullable() }), z.object({ a: text }), 'a type, widened'],
    ['an unknown enum value', z.enum(['a', 'b']), z.enum(['a']), ' values, widened'],
    ['other values', z.enum(['b']), z.enum(['a']), ' values'],
    ['any string for an enum', text, z.enum(['a']), ' values, widened'],
    ['longer strings', text.max(5), text.max(4), ' limits, widened'],
    ['another pattern', text.regex(/^a/), text.regex(/^b/), ' limits'],
    ['any string for a pattern', text, text.regex(/^b/), ' limits, widened'],
    ['fractions', z.number(), z.int(), ' type, widened'],
    ['a missing field when it is strict', z.object({ b: text }), z.strictObject({ b: text, a: text }), 'a missing'],
    ['an unknown field when it is strict', z.object({ b: text }), z.strictObject({}), 'b unknown_field'],
    [
      'an unknown optional field when it is strict',
      z.object({ b: text.optional() }),
      z.strictObject({}),
      'b unknown_field, widened',
    ],
    [
      'a nested incompatibility',
      z.object({ a: z.array(z.object({ b: z.int() })) }),
      z.object({ a: z.array(z.object({ b: text })) }),
      'a[].b type',
    ],
    ['a record with other values', z.record(text, text), z.record(text, z.int()), '* type'],
    [
      'an optional field with another type',
      z.object({ a: z.int().optional() }),
      z.object({ a: text.optional() }),
      'a type',
    ],
  ])('%s', (_, writer, reader, found) => expect(between(writer, reader)).toEqual([found]));
});

const leaf = fc.oneof(
  fc.constantFrom<JsonSchema>({ type: 'string' }, { type: 'boolean' }, { type: 'null' }, { type: 'number' }),
  fc.record({ type: fc.constant('integer'), minimum: fc.integer({ min: -9, max: 0 }), maximum: fc.nat(9) }),
  fc.record({ type: fc.constant('string'), minLength: fc.nat(1), maxLength: fc.integer({ min: 1, max: 3 }) }),
  fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }).map(values => ({ type: 'string', enum: values })),
  fc.constantFrom('a', 'b').map(value => ({ type: 'string', const: value })),
);

const schemas = fc.letrec<{ schema: JsonSchema }>(schema => ({
  schema: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    leaf,
    fc.record({ type: fc.constant('array'), items: schema('schema') }),
    fc.array(schema('schema'), { minLength: 1, maxLength: 2 }).map(anyOf => ({ anyOf })),
    fc.record({
      type: fc.constant('object'),
      propertyNames: fc.constant({ type: 'string' }),
      additionalProperties: schema('schema'),
    }),
    fc
      .tuple(fc.dictionary(fc.constantFrom('a', 'b'), schema('schema')), fc.subarray(['a', 'b']), fc.boolean())
      .map(([properties, required, strict]) => ({
        type: 'object',
        properties,
        required: required.filter(field => Object.hasOwn(properties, field)),
        ...(strict ? { additionalProperties: false } : {}),
      })),
  ),
})).schema;

/** Values that a writer of this schema can write. */
const valuesOf = (schema: JsonSchema): fc.Arbitrary<unknown> => {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valuesOf));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if ('const' in schema) return fc.constant(schema.const);
  switch (schema.type) {
    case 'string':
      return fc.string({
        minLength: schema.minLength ?? 0,
        maxLength: schema.maxLength ?? 6,
        unit: fc.constantFrom('a', 'b'),
      });
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -20, max: schema.maximum ?? 20 });
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}), { maxLength: 3 });
    case 'object':
      return schema.propertyNames
        ? fc.dictionary(fc.constantFrom('a', 'b', 'z'), valuesOf(schema.additionalProperties as JsonSchema))
        : fc.record(
            Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, field]) => [name, valuesOf(field)])),
            { requiredKeys: [...(schema.required ?? [])] },
          );
    default:
      return fc.constant(null);
  }
};

/** A schema with a few differences, as between two releases. */
const mutated = (schema: JsonSchema): fc.Arbitrary<JsonSchema> => {
  const same = { arbitrary: fc.constant(schema), weight: 4 };
  const other = { arbitrary: schemas, weight: 1 };
  const wider = { arbitrary: schemas.map(more => ({ anyOf: [schema, more] })), weight: 1 };
  if (schema.properties)
    return fc.oneof(other, wider, {
      arbitrary: fc
        .record(Object.fromEntries(Object.entries(schema.properties).map(([name, field]) => [name, mutated(field)])), {
          requiredKeys: [],
        })
        .chain(properties => fc.tuple(fc.constant(properties), fc.subarray(Object.keys(properties)), fc.boolean()))
        .map(
          ([properties, required, strict]) =>
            ({
              type: 'object',
              properties,
              required,
              ...(strict ? { additionalProperties: false } : {}),
            }) as JsonSchema,
        ),
      weight: 6,
    });
  if (schema.items)
    return fc.oneof(same, other, wider, {
      arbitrary: mutated(schema.items).map(items => ({ type: 'array', items })),
      weight: 4,
    });
  return fc.oneof(same, other, wider);
};

const read = (schema: JsonSchema, value: unknown): boolean =>
  z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(value).success;

describe('for any two schemas', () => {
  it('an independent validator accepts every value if there is no incompatibility', () => {
    let compatible = 0;
    fc.assert(
      fc.property(
        schemas.chain(writes => fc.tuple(fc.constant(writes), mutated(writes), valuesOf(writes))),
        ([writes, reads, value]) => {
          if (incompatibilities(writes, reads).length > 0) return;
          compatible++;
          expect(read(reads, value)).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
    expect(compatible).toBeGreaterThan(75);
  });

  it('a schema is compatible with itself', () => {
    fc.assert(fc.property(schemas, schema => expect(incompatibilities(schema, structuredClone(schema))).toEqual([])));
  });
});
