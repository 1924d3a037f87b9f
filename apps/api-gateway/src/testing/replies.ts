import type { RequestContract } from '@postern/contracts';
import fc from 'fast-check';
import { z } from 'zod';

/** A generated reply that matches the schema of the contract; always the same. */
export const replyOf = (contract: RequestContract): unknown => sampleOf(contract.reply);

/** A body that an input schema accepts, as far as JSON Schema can express it. */
export const inputOf = (schema: z.ZodType): unknown =>
  requiredOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));

const requiredOf = (schema: z.core.JSONSchema._JSONSchema): unknown => {
  if (typeof schema === 'boolean') return {};
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return requiredOf(schema.anyOf[0]!);
  switch (schema.type) {
    case 'string':
      if (schema.format === 'uuid') return UUID;
      if (schema.format === 'date-time') return '2030-01-02T03:04:05.000Z';
      if (schema.pattern) return fc.sample(fc.stringMatching(new RegExp(schema.pattern)), { numRuns: 1, seed: 7 })[0];
      return 'x'.repeat(schema.minLength ?? 1);
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1);
    case 'boolean':
      return true;
    case 'array':
      return [requiredOf((schema.items ?? true) as z.core.JSONSchema._JSONSchema)];
    default:
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, requiredOf(inner)]),
      );
  }
};

const sampleOf = (schema: z.ZodType): unknown => {
  const json = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
  return fc.sample(arbitraryOf(json), { numRuns: 1, seed: 7 })[0];
};

const UUID = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f';

const arbitraryOf = (schema: z.core.JSONSchema._JSONSchema): fc.Arbitrary<unknown> => {
  if (typeof schema === 'boolean') return fc.constant({});
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(arbitraryOf));
  switch (schema.type) {
    case 'string':
      if (schema.format === 'uuid') return fc.constant(UUID);
      if (schema.format === 'date-time') return fc.constant('2030-01-02T03:04:05.000Z');
      return schema.format === 'date' ? fc.constant('2030-01-02') : fc.string();
    case 'integer':
      return fc.nat(1_000);
    case 'number':
      return fc.nat(1_000);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(arbitraryOf((schema.items ?? true) as z.core.JSONSchema._JSONSchema), { maxLength: 2 });
    default:
      return fc.record(
        Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, arbitraryOf(inner)])),
      );
  }
};
