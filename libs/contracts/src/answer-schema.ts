import { z } from 'zod';

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** The range of the integers of JavaScript is no bound of the API. */
export const withoutLanguageBounds = ({ jsonSchema }: { readonly jsonSchema: JsonSchema }): void => {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

/**
 * Responses may get new fields, so generated clients must accept unknown ones. A pattern duplicates the format, and
 * generated Python clients match it against a value that is already parsed by the format.
 */
export const asAnswer = ({ jsonSchema }: { readonly jsonSchema: JsonSchema }): void => {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  withoutLanguageBounds({ jsonSchema });
};

/** The schema of an answer, without references. */
const answerSchema = (reply: z.ZodType): JsonSchema => {
  const { $schema: _dialect, ...inline } = z.toJSONSchema(reply, {
    io: 'output',
    unrepresentable: 'any',
    override: asAnswer,
  });
  return inline;
};

/** The structured results of a tool (MCP), which are objects. */
export interface ToolResults {
  readonly schema: { readonly type: 'object'; readonly [part: string]: unknown };
  readonly of: (answer: unknown) => Record<string, unknown>;
}

/** The results of a tool that returns answers of this shape; one that is not an object, such as a list, is in `result`. */
export const toolResults = (reply: z.ZodType): ToolResults => {
  const schema = answerSchema(reply);
  if (schema.type === 'object')
    return { schema: { ...schema, type: 'object' }, of: answer => ({ ...(answer as object) }) };
  return {
    schema: { type: 'object', properties: { result: schema }, required: ['result'] },
    of: answer => ({ result: answer }),
  };
};
