import * as contracts from '@postern/contracts';
import { asAnswer, withoutLanguageBounds } from '@postern/contracts';
import { z } from 'zod';

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Schemas of responses by name: exported objects of the contracts, and replies. */
export class AnswerSchemas {
  readonly #registry = z.registry<{ id: string }>();
  readonly #taken = new Set<string>();

  constructor() {
    for (const [name, value] of Object.entries(contracts)) {
      if (value instanceof z.ZodObject) this.#add(value, capitalised(name));
    }
  }

  reference(schema: z.ZodType, name: string): { readonly $ref: string } {
    if (!this.#registry.has(schema)) this.#add(schema, name);
    return { $ref: uriOf(this.#registry.get(schema)?.id ?? name) };
  }

  /** All schemas that `roots` reference, directly or indirectly. */
  components(roots: Iterable<string>): Record<string, JsonSchema> {
    const options = { uri: uriOf, io: 'output', unrepresentable: 'any', override: asAnswer } as const;
    const { schemas } = z.toJSONSchema(this.#registry, options);
    const reached: Record<string, JsonSchema> = {};
    const reach = (name: string): void => {
      if (reached[name] || !schemas[name]) return;
      const { $schema: _dialect, $id: _address, ...schema } = schemas[name];
      reached[name] = schema;
      for (const [, inner] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) reach(inner!);
    };
    for (const root of roots) reach(root.slice(uriOf('').length));
    return reached;
  }

  #add(schema: z.ZodType, wanted: string): void {
    const name = this.#taken.has(wanted) ? `${wanted}${this.#taken.size}` : wanted;
    this.#taken.add(name);
    this.#registry.add(schema, { id: name });
  }
}

/** The schema of an input, without references. */
export const inputSchema = (schema: z.ZodType): JsonSchema => {
  const { $schema: _dialect, ...inline } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: withoutLanguageBounds,
  });
  return inline;
};

export const nameOfReply = (contractName: string): string =>
  `${contractName.split('-').map(capitalised).join('')}Reply`;

const uriOf = (name: string): string => `#/components/schemas/${name}`;
const capitalised = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
