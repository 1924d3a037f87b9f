/** The part of an OpenAPI 3.1 document that the reference shows. */
export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly responses?: Readonly<Record<string, Answer>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
  };
}

export interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content?: Content };
  readonly responses?: Readonly<Record<string, Answer>>;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
}

export interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

export interface Answer {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Content;
}

type Content = Readonly<
  Record<
    string,
    {
      readonly schema?: Schema;
      readonly example?: unknown;
      readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
    }
  >
>;

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
}

/** Follows a reference within the document. */
export const resolve = <T extends { readonly $ref?: string }>(openApi: OpenApiDocument, value: T): T => {
  if (!value.$ref) return value;
  const path = value.$ref.replace('#/', '').split('/');
  let found: unknown = openApi;
  for (const name of path) found = (found as Record<string, unknown> | undefined)?.[name];
  return found ? resolve(openApi, found as T) : value;
};

/** A short name of a type, such as `string`, `array of string` or `"sent" | "failed"`. */
export const typeName = (openApi: OpenApiDocument, schema: Schema): string => {
  const own = resolve(openApi, schema);
  if (own.const !== undefined) return JSON.stringify(own.const);
  if (own.enum) return own.enum.map(value => JSON.stringify(value)).join(' | ');
  const choices = own.anyOf ?? own.oneOf;
  if (choices) return [...new Set(choices.map(choice => typeName(openApi, choice)))].join(' | ');
  if (own.type === 'array') return `array of ${own.items ? typeName(openApi, own.items) : 'any'}`;
  const type = Array.isArray(own.type) ? own.type.join(' | ') : (own.type ?? 'object');
  return own.format ? `${type} (${own.format})` : String(type);
};

/** A value that a body of this schema could have. */
export const exampleOf = (openApi: OpenApiDocument, schema: Schema, depth = 0): unknown => {
  const own = resolve(openApi, schema);
  if (own.example !== undefined) return own.example;
  if (own.examples?.length) return own.examples[0];
  if (own.default !== undefined) return own.default;
  if (own.const !== undefined) return own.const;
  if (own.enum?.length) return own.enum[0];
  const choice = own.anyOf?.[0] ?? own.oneOf?.[0] ?? own.allOf?.[0];
  if (choice && !own.properties) return exampleOf(openApi, choice, depth);
  if (own.type === 'array') return depth > 4 || !own.items ? [] : [exampleOf(openApi, own.items, depth + 1)];
  if (own.properties)
    return Object.fromEntries(
      Object.entries(own.properties)
        .filter(([name]) => own.required === undefined || own.required.includes(name))
        .map(([name, property]) => [name, depth > 4 ? null : exampleOf(openApi, property, depth + 1)]),
    );
  const type = Array.isArray(own.type) ? own.type[0] : own.type;
  if (type === 'integer' || type === 'number') return 1;
  if (type === 'boolean') return true;
  return type === 'object' ? {} : 'string';
};

/** The example of a JSON body that the document has; undefined if it has none. */
export const statedExampleOf = (content: Content | undefined): unknown => {
  const { example, examples } = content?.['application/json'] ?? {};
  return example ?? Object.values(examples ?? {})[0]?.value;
};

/** An example of a JSON body: that of the document, otherwise one of its schema; undefined for a body that is not JSON. */
export const exampleBodyOf = (openApi: OpenApiDocument, content: Content | undefined): unknown => {
  const schema = bodyOf(openApi, content);
  return statedExampleOf(content) ?? (schema && exampleOf(openApi, schema));
};

/** An operation with the place where the document has it. */
export interface LocatedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

export const operationsOf = (paths: OpenApiDocument['paths']): readonly LocatedOperation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap(method => {
      const operation = item[method];
      return operation ? [{ method, path, operation }] : [];
    }),
  );

/** The JSON schema of a body; undefined for one that is not JSON. */
export const bodyOf = (openApi: OpenApiDocument, content: Content | undefined): Schema | undefined => {
  const schema = content?.['application/json']?.schema;
  return schema && resolve(openApi, schema);
};
