import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { HttpOperation, JsonSchema } from '@postern/compatibility';

/** The HTTP API and the webhook calls of a release of the gateway. */
export interface HttpSurface {
  readonly http: Readonly<Record<string, HttpOperation>>;
  readonly webhooks: Readonly<Record<string, JsonSchema>>;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema }>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

interface Response extends Content {
  readonly headers?: Readonly<Record<string, { readonly schema?: JsonSchema }>>;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Response>>;
}

type Paths = Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;

/** The parts of an OpenAPI document that clients depend on. */
export interface OpenApiDocument {
  readonly paths: Paths;
  readonly webhooks?: Paths;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

/** An OpenAPI document, and who may call each operation: `GET /path` with `session member`. */
export interface DescribedApi {
  readonly document: OpenApiDocument;
  readonly access: Readonly<Record<string, readonly string[]>>;
}

const IGNORED_KEYWORDS: ReadonlySet<string> = new Set(['description', 'title', 'examples', 'example']);
const REFERENCE = '#/components/schemas/';

/** The schema without references and descriptions; a schema that contains itself accepts anything there. */
const plain = (schema: unknown, api: OpenApiDocument, within: readonly string[] = [], isName = false): unknown => {
  if (Array.isArray(schema)) return schema.map(one => plain(one, api, within));
  if (typeof schema !== 'object' || schema === null) return schema;
  const reference = (schema as { readonly $ref?: unknown }).$ref;
  if (typeof reference === 'string' && !isName) {
    const name = reference.slice(REFERENCE.length);
    return within.includes(name) ? {} : plain(api.components.schemas[name] ?? {}, api, [...within, name]);
  }
  const entries = Object.entries(schema).filter(([keyword]) => isName || !IGNORED_KEYWORDS.has(keyword));
  // The keys of `properties` are names of fields, not keywords.
  return Object.fromEntries(
    entries.map(([keyword, value]) => [keyword, plain(value, api, within, !isName && keyword === 'properties')]),
  );
};

const jsonOf = ({ content }: Content): JsonSchema | undefined => content?.['application/json']?.schema;

const requestOf = ({ parameters = [], requestBody }: DescribedOperation, api: OpenApiDocument): JsonSchema => {
  const body = requestBody && jsonOf(requestBody);
  const fields = [
    ...parameters.map(one => ({ ...one, field: `${one.in} ${one.name}`, required: one.required ?? false })),
    ...(body ? [{ field: 'body', schema: body, required: requestBody?.required ?? false }] : []),
  ];
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ field, schema }) => [field, plain(schema, api) as JsonSchema])),
    required: fields.filter(({ required }) => required).map(({ field }) => field),
    additionalProperties: false,
  };
};

const operationOf = (described: DescribedOperation, access: readonly string[], api: OpenApiDocument): HttpOperation => {
  const responses = Object.entries(described.responses);
  return {
    operation: described.operationId,
    access: [...access],
    request: requestOf(described, api),
    replies: Object.fromEntries(
      responses
        .filter(([status]) => Number(status) < 400)
        .map(([status, response]) => [status, plain(jsonOf(response) ?? {}, api) as JsonSchema]),
    ),
    errors: responses.flatMap(([status, { headers }]) =>
      (headers?.['Error-Code']?.schema?.enum ?? []).map(code => `${status} ${String(code)}`),
    ),
  };
};

/** What clients of these documents depend on, by `GET /path`. */
export const surfaceOf = (apis: readonly DescribedApi[]): HttpSurface => ({
  http: Object.fromEntries(apis.flatMap(operationsOf)),
  webhooks: Object.fromEntries(apis.flatMap(({ document }) => webhooksOf(document))),
});

const operationsOf = ({ document, access }: DescribedApi): readonly (readonly [string, HttpOperation])[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const route = `${method.toUpperCase()} ${path}`;
      return [route, operationOf(operation, access[route] ?? [], document)] as const;
    }),
  );

const webhooksOf = (document: OpenApiDocument): readonly (readonly [string, JsonSchema])[] =>
  Object.entries(document.webhooks ?? {}).map(([kind, { post }]) => [
    kind,
    plain((post?.requestBody && jsonOf(post.requestBody)) ?? {}, document) as JsonSchema,
  ]);

/** The surface of the gateway in the checkout, from its OpenAPI documents. */
export const httpSurfaceOfCheckout = async (root: string): Promise<HttpSurface> => {
  const sources = pathToFileURL(join(root, 'apps/api-gateway/src/described-apis.ts')).href;
  const { describedApis } = (await import(sources)) as { describedApis(): readonly DescribedApi[] };
  return surfaceOf(JSON.parse(JSON.stringify(describedApis())) as DescribedApi[]);
};
