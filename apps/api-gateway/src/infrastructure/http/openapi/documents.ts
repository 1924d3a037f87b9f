import { Inject, Injectable, type Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { BASE_PATHS } from '@postern/contracts';
import { CONFIG } from '@postern/service-host';
import type { GatewayConfig } from '../../../config.js';
import { ERROR_SCHEMAS, PLATFORM_ERROR_SCHEMAS } from './errors.js';
import { type Operation, operationsOf } from './operations.js';
import { responsesOf } from './responses.js';
import { AnswerSchemas, inputSchema } from './schemas.js';

/** The parts of a document that this app builds; a test validates the whole. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly [part: string]: unknown;
}

/** OpenAPI 3.1 documents, built on first use from the controllers of the application and the schemas of the contracts. */
@Injectable()
export class OpenApiDocuments {
  private publicDocument: OpenApiDocument | undefined;
  private dashboardDocument: OpenApiDocument | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    @Inject(CONFIG) private readonly config: GatewayConfig,
  ) {}

  publicApi(): OpenApiDocument {
    this.publicDocument ??= this.documentOf('Postern', operation => !isDashboardApi(operation), {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'Api-Key', description: 'A key of an email service.' },
        platformKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'A platform key, `ak_live_…`. The scope `read` allows GET; `write` allows everything.',
        },
      },
      schemas: { ...ERROR_SCHEMAS, ...PLATFORM_ERROR_SCHEMAS },
    });
    return this.publicDocument;
  }

  dashboardApi(): OpenApiDocument {
    this.dashboardDocument ??= this.documentOf('Postern dashboard', isDashboardApi, {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'postern_session' },
      },
      schemas: ERROR_SCHEMAS,
    });
    return this.dashboardDocument;
  }

  private documentOf(title: string, includes: (operation: Operation) => boolean, components: Components) {
    const operations = this.discovery
      .getControllers()
      .flatMap(({ metatype }) => (typeof metatype === 'function' ? operationsOf(metatype as Type) : []))
      .filter(includes);
    return documentOf(title, operations, this.config.publicUrl, components);
  }
}

interface Components {
  readonly securitySchemes: object;
  readonly schemas: object;
}

/** The document of the dashboard API is itself public. */
const isDashboardApi = ({ path }: Operation): boolean =>
  path.startsWith(`${BASE_PATHS.session}/`) && !path.endsWith('/openapi.json');

const documentOf = (
  title: string,
  operations: readonly Operation[],
  publicUrl: string,
  { securitySchemes, schemas }: Components,
): OpenApiDocument => {
  const answers = new AnswerSchemas();
  const references = new Set<string>();
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
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
  if (operation.session) return { security: [{ bearer: [] }, { cookie: [] }] };
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
