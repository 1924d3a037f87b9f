import { z } from 'zod';

/** The part of JSON Schema 2020-12 that zod generates for the contracts. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  /** The value of a field that a client leaves out. */
  readonly default?: unknown;
  /** The number of conditions that only code can check. */
  readonly refined?: number;
}

/** Keywords that no reader depends on. */
const IGNORED_KEYWORDS = ['description', 'title', 'examples'];

/**
 * `input`: what a reader that parses with `shape` accepts; fields with defaults are optional. `output`: what a writer of
 * `shape` sends. Only strict objects reject unknown fields.
 */
export const jsonSchemaOf = (shape: z.ZodType, io: 'input' | 'output'): JsonSchema => {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, {
    io,
    override: ({ zodSchema, jsonSchema }) => {
      for (const keyword of IGNORED_KEYWORDS) delete jsonSchema[keyword as 'title'];
      // A writer sends the value itself.
      if (io === 'output') delete jsonSchema.default;
      const { def } = zodSchema._zod;
      const refined = (def.checks ?? []).filter(check => check._zod.def.check === 'custom').length;
      if (io === 'input' && refined > 0) jsonSchema['refined'] = refined;
      if (def.type === 'object' && !def.catchall) delete jsonSchema.additionalProperties;
    },
  });
  // Removes the properties that zod adds to the schema, so that the result equals a stored snapshot.
  return JSON.parse(JSON.stringify(schema)) as JsonSchema;
};
