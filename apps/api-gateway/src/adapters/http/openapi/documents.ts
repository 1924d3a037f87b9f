import type { Type } from '@nestjs/common';
import { ERROR_SCHEMAS, PLATFORM_ERROR_SCHEMAS } from './errors.js';
import { type Operation, operationsOf } from './operations.js';
import { responsesOf } from './responses.js';
import { AnswerSchemas, inputSchema } from './schemas.js';

/** A document as far as we build it; its validity is a test's business. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly [part: string]: unknown;
}

/** OpenAPI 3.1 from the controllers' own metadata and the contracts' schemas; built when first asked for. */
export class OpenApiDocuments {
  private publicDocument: OpenApiDocument | undefined;
  private dashboardDocument: OpenApiDocument | undefined;

  constructor(
    private readonly controllers: { readonly publicApi: readonly Type[]; readonly dashboardApi: readonly Type[] },
    private readonly publicUrl: string,
  ) {}

  publicApi(): OpenApiDocument {
    this.publicDocument ??= documentOf('Postern', this.controllers.publicApi, this.publicUrl, {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'Api-Key', description: 'A key of an email service.' },
        platformKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'A platform key, `ak_live_…`. With the scope `read` it reads, with `write` it does everything.',
        },
      },
      schemas: { ...ERROR_SCHEMAS, ...PLATFORM_ERROR_SCHEMAS },
    });
    return this.publicDocument;
  }

  dashboardApi(): OpenApiDocument {
    this.dashboardDocument ??= documentOf('Postern dashboard', this.controllers.dashboardApi, this.publicUrl, {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'postern_session' },
      },
      schemas: ERROR_SCHEMAS,
    });
    return this.dashboardDocument;
  }
}

const documentOf = (
  title: string,
  controllers: readonly Type[],
  publicUrl: string,
  { securitySchemes, schemas }: { readonly securitySchemes: object; readonly schemas: object },
): OpenApiDocument => {
  const answers = new AnswerSchemas();
  const references = new Set<string>();
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of controllers.flatMap(operationsOf)) {
    paths[operation.path] ??= {};
    paths[operation.path]![operation.method] = operationObject(operation, answers, references);
  }
  return {
    openapi: '3.1.0',
    info: { title, version: '1.0.0' },
    servers: [{ url: publicUrl }],
    paths,
    components: { schemas: { ...answers.components(references), ...schemas }, securitySchemes },
  };
};

const operationObject = (operation: Operation, answers: AnswerSchemas, references: Set<string>): object => ({
  operationId: operation.id,
  tags: [operation.tag],
  summary: operation.summary,
  ...(operation.description ? { description: operation.description } : {}),
  ...securityOf(operation),
  parameters: parametersOf(operation),
  ...bodyOf(operation),
  responses: responsesOf(operation, answers, references),
});

const securityOf = (operation: Operation): { security?: object[] } => {
  if (operation.signedIn) return { security: [{ bearer: [] }, { cookie: [] }] };
  if (operation.platform) return { security: [{ platformKey: [] }] };
  return operation.requestHeaders?.['Api-Key'] ? { security: [{ apiKey: [] }] } : {};
};

const parametersOf = (operation: Operation): object[] => [
  ...operation.parameters.map(({ name, in: place, schema }) => ({
    name,
    in: place,
    required: place === 'path' || !schema.safeParse(undefined).success,
    schema: inputSchema(schema),
  })),
  ...Object.entries(operation.requestHeaders ?? {})
    .filter(([name]) => name !== 'Api-Key')
    .map(([name, header]) => ({ name, in: 'header', ...header, schema: { type: 'string' } })),
];

const bodyOf = ({ body, examples }: Operation): { requestBody?: object } => {
  if (!body) return {};
  const example = examples?.body;
  const content = { schema: inputSchema(body), ...(example === undefined ? {} : { example }) };
  return {
    requestBody: { required: !body.safeParse(undefined).success, content: { 'application/json': content } },
  };
};
