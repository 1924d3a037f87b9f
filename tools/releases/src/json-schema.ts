import { z } from 'zod';

/** The part of JSON Schema 2020-12 that zod writes for our contracts. */
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
}

/** Words for people and values of convenience, which no reader depends on. */
const SILENT = ['description', 'title', 'examples', 'default'];

/**
 * `input`: what may be sent to a reader that parses with `shape`, defaults being optional. `output`: what a writer of
 * `shape` sends. An object refuses unknown fields only where it is strict: everywhere else they are ignored.
 */
export const jsonSchemaOf = (shape: z.ZodType, io: 'input' | 'output'): JsonSchema => {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, {
    io,
    override: ({ zodSchema, jsonSchema }) => {
      for (const keyword of SILENT) delete jsonSchema[keyword as 'title'];
      const { def } = zodSchema._zod;
      if (def.type === 'object' && !def.catchall) delete jsonSchema.additionalProperties;
    },
  });
  // What zod returns carries more than the schema; what is compared is what a snapshot holds.
  return JSON.parse(JSON.stringify(schema)) as JsonSchema;
};
