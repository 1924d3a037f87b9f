import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { type JsonSchema, jsonSchemaOf } from './json-schema.js';
import { misfits } from './misfits.js';

const between = (writer: z.ZodType, reader: z.ZodType) =>
  misfits(jsonSchemaOf(writer, 'output'), jsonSchemaOf(reader, 'input')).map(
    ({ path, kind, widened }) => `${path} ${kind}${widened ? ', widened' : ''}`,
  );

const text = z.string();

describe('a reader takes', () => {
  it.each<[string, z.ZodType, z.ZodType]>([
    ['what it knows', z.object({ a: text }), z.object({ a: text })],
    ['a field more, which it ignores', z.object({ a: text, b: text }), z.object({ a: text })],
    ['the absence of what it does not need', z.object({ a: text }), z.object({ a: text, b: text.optional() })],
    ['the absence of what has a default', z.object({}), z.object({ b: text.default('b') })],
    ['what was always there and is now optional to it', z.object({ a: text }), z.object({ a: text.optional() })],
    ['fewer values', z.enum(['a']), z.enum(['a', 'b'])],
    ['a value of what may be any text', z.enum(['a', 'b']), text],
    ['stricter limits than its own', text.min(2).max(3), text.min(1).max(4)],
    ['integers where it takes numbers', z.int(), z.number()],
    ['what is never null where null is possible', text, text.nullable()],
    ['one of its alternatives', z.object({ a: text }), z.union([z.number(), z.object({ a: text })])],
    ['a record of what it holds', z.record(text, z.int()), z.record(text, z.number())],
    ['anything where it does not look', z.object({ a: text }), z.unknown()],
  ])('%s', (_, writer, reader) => expect(between(writer, reader)).toEqual([]));
});

describe('a reader does not take', () => {
  it.each<[string, z.ZodType, z.ZodType, string]>([
    ['a field taken away', z.object({}), z.object({ a: text }), 'a missing'],
    ['a field that comes only sometimes', z.object({ a: text.optional() }), z.object({ a: text }), 'a not_always'],
    ['another type', z.object({ a: z.int() }), z.object({ a: text }), 'a type'],
    ['null', z.object({ a: text.nullable() }), z.object({ a: text }), 'a type, widened'],
    ['a value it never heard of', z.enum(['a', 'b']), z.enum(['a']), ' values, widened'],
    ['other values', z.enum(['b']), z.enum(['a']), ' values'],
    ['any text where it knows some', text, z.enum(['a']), ' values, widened'],
    ['longer texts', text.max(5), text.max(4), ' limits, widened'],
    ['another pattern', text.regex(/^a/), text.regex(/^b/), ' limits'],
    ['any text where it wants a pattern', text, text.regex(/^b/), ' limits, widened'],
    ['fractions', z.number(), z.int(), ' type, widened'],
    ['unknown fields where it is strict', z.object({ b: text }), z.strictObject({ b: text, a: text }), 'a missing'],
    ['an unknown field where it is strict', z.object({ b: text }), z.strictObject({}), 'b unknown_field'],
    [
      'an unknown optional field where it is strict',
      z.object({ b: text.optional() }),
      z.strictObject({}),
      'b unknown_field, widened',
    ],
    [
      'what is wrong deep inside',
      z.object({ a: z.array(z.object({ b: z.int() })) }),
      z.object({ a: z.array(z.object({ b: text })) }),
      'a[].b type',
    ],
    ['records of something else', z.record(text, text), z.record(text, z.int()), '* type'],
    [
      'a field whose optional form changed',
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

/** Values that a writer of this schema may write. */
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

/** Two schemas that are alike in most places, as two releases are. */
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

describe('whatever two releases look like', () => {
  it('what has no misfit is read by a validator that knows nothing of this comparison', () => {
    let fitting = 0;
    fc.assert(
      fc.property(
        schemas.chain(writes => fc.tuple(fc.constant(writes), mutated(writes), valuesOf(writes))),
        ([writes, reads, value]) => {
          if (misfits(writes, reads).length > 0) return;
          fitting++;
          expect(read(reads, value)).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
    expect(fitting).toBeGreaterThan(75);
  });

  it('a value that is not read is never without a misfit, and a schema always fits itself', () => {
    fc.assert(fc.property(schemas, schema => expect(misfits(schema, structuredClone(schema))).toEqual([])));
  });
});
